-- Why a user key may not be used for a request, or null. The client IP or the origin of the request is null if
-- it is not known, which no restriction accepts. Null and empty lists restrict nothing. Written so that
-- PostgreSQL inlines it: the address is parsed only if there are networks to compare it with.
CREATE OR REPLACE FUNCTION ledger_key_restriction(
  key_origins text[], key_networks inet[], app_networks inet[], origin text, client_ip text
) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN cardinality(app_networks) > 0 AND (client_ip::inet <<= ANY (app_networks)) IS NOT TRUE THEN 'app_networks'
    WHEN cardinality(key_networks) > 0 AND (client_ip::inet <<= ANY (key_networks)) IS NOT TRUE THEN 'key_networks'
    WHEN cardinality(key_origins) > 0 AND (origin = ANY (key_origins)) IS NOT TRUE THEN 'key_origins'
  END
$$;
