import { expect, test } from 'vitest';
import { leafOf, pathOf, rootOf } from './merkle-tree';

/** The test vectors of Certificate Transparency (RFC 6962). */
const ENTRIES = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657'];
const ROOTS = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
];
const leaves = ENTRIES.map((entry) => leafOf(Buffer.from(entry, 'hex').toString('latin1')));

test('roots are those of RFC 6962', () => {
  expect(ROOTS.map((_, at) => rootOf(leaves.slice(0, at + 1)).toString('hex'))).toEqual(ROOTS);
});

test('a path has the hashes next to those from the leaf to the root', () => {
  const [a, b, c, d, e] = leaves as [Buffer, Buffer, Buffer, Buffer, Buffer];
  expect(pathOf(0, [a])).toEqual([]);
  expect(pathOf(4, [a, b, c, d, e])).toEqual([rootOf([a, b, c, d])]);
  expect(pathOf(2, [a, b, c, d, e])).toEqual([d, rootOf([a, b]), e]);
});
