import { expect, test } from 'vitest';
import { networkOf } from './client-network';
import { readClientIp } from './http/client-ip';

const networkOfCaller = (address: string) =>
  networkOf(readClientIp({ headers: new Headers({ 'x-svc-client-address': address }) }));

test.each([
  ['203.0.113.7', '203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64', '2001:db8:1::/48'],
  ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64', '2001:db8:1::/48'],
  ['2001:db8::1', '2001:db8:0:0::/64', '2001:db8:0::/48'],
  ['::1', '0:0:0:0::/64', '0:0:0::/48'],
  ['not an IP', '', ''],
])('%s is in the network %s of the site %s', (address, network, site) => {
  expect(networkOfCaller(address)).toEqual({ network, site });
});
