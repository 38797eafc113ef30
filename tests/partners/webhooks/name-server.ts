import { createSocket } from 'node:dgram';
import dns from 'node:dns';
import { once } from 'node:events';
import ipaddr from 'ipaddr.js';
import { afterAll } from 'vitest';

export type HostRecords = { a?: string[]; aaaa?: string[]; cname?: string };

export type NameServer = {
  /**
   * The addresses returned for a host from now on; a list is used up one lookup at a time, and the last
   * one stays.
   */
  setRecords: (host: string, ...hostRecords: HostRecords[]) => void;
  /** `A host` or `AAAA host`, oldest first. */
  queries: string[];
  /** Receives queries and does not respond to them. */
  stopResponding: () => void;
};

const TYPES: Record<number, 'A' | 'CNAME' | 'AAAA'> = { 1: 'A', 5: 'CNAME', 28: 'AAAA' };

/** A real name server on loopback, and the only one that this process queries. */
export async function startNameServer(): Promise<NameServer> {
  const zones = new Map<string, HostRecords[]>();
  const turns = new Map<string, number>();
  const queries: string[] = [];
  let isSilent = false;
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    const { host, type, questionEnd } = readQuestion(query);
    queries.push(`${TYPES[type]} ${host}`);
    if (isSilent) return;
    const key = `${type} ${host}`;
    const turn = turns.get(key) ?? 0;
    turns.set(key, turn + 1);
    const zone = zones.get(host);
    const records = zone ? toRecords(zone[Math.min(turn, zone.length - 1)] ?? {}, type) : [];
    socket.send(
      writeResponse(query.subarray(0, questionEnd), records, zone !== undefined),
      from.port,
      from.address,
    );
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const before = dns.getServers();
  dns.setServers([`127.0.0.1:${socket.address().port}`]);
  afterAll(() => {
    dns.setServers(before);
    socket.close();
  });
  return {
    setRecords: (host, ...hostRecords) => void zones.set(host, hostRecords),
    queries,
    stopResponding: () => {
      isSilent = true;
    },
  };
}

type DnsRecord = { type: number; data: Buffer };

function toRecords({ a = [], aaaa = [], cname }: HostRecords, type: number): DnsRecord[] {
  const alias = cname === undefined ? [] : [{ type: 5, data: writeName(cname) }];
  const addresses = type === 1 ? a : aaaa;
  return [
    ...alias,
    ...addresses.map((text) => ({ type, data: Buffer.from(ipaddr.parse(text).toByteArray()) })),
  ];
}

function readQuestion(query: Buffer): { host: string; type: number; questionEnd: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { host: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), questionEnd: at + 5 };
}

/** The response repeats the header and the question, followed by the answers. */
function writeResponse(question: Buffer, records: DnsRecord[], isKnown: boolean): Buffer {
  const head = Buffer.from(question);
  head.writeUInt16BE(isKnown ? 0x8180 : 0x8183, 2);
  head.writeUInt16BE(records.length, 6);
  head.writeUInt32BE(0, 8);
  const rows = records.map(({ type, data }) => {
    // A pointer to the question's name, class IN, no time to live.
    const row = Buffer.from([0xc0, 0x0c, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length]);
    return Buffer.concat([row, data]);
  });
  return Buffer.concat([head, ...rows]);
}

function writeName(name: string): Buffer {
  return Buffer.concat([
    ...name.split('.').map((label) => Buffer.concat([Buffer.of(label.length), Buffer.from(label)])),
    Buffer.of(0),
  ]);
}
