import { listBankPayouts } from './bank-payouts';
import { createAccount, createAccountLink, createLoginLink, requireAccount } from './connected-accounts';
import type { Endpoint } from './endpoints';
import { filterBy, listPage } from './lists';
import { createTransfer, readBalance, reverseTransfer } from './transfers';

/** What payouts to connected accounts call. */
export const CONNECT_ENDPOINTS: readonly Endpoint[] = [
  { method: 'POST', path: /^\/v1\/accounts$/, run: (emulator, form) => createAccount(emulator, form) },
  {
    method: 'GET',
    path: /^\/v1\/accounts\/(\w+)$/,
    run: ({ records }, _, id) => requireAccount(records, id).account,
  },
  {
    method: 'POST',
    path: /^\/v1\/accounts\/(\w+)\/login_links$/,
    run: (emulator, _, id) => createLoginLink(emulator, id),
  },
  {
    method: 'POST',
    path: /^\/v1\/account_links$/,
    run: (emulator, form) => createAccountLink(emulator, form),
  },
  { method: 'GET', path: /^\/v1\/balance$/, run: (emulator) => readBalance(emulator) },
  {
    method: 'GET',
    path: /^\/v1\/payouts$/,
    run: (emulator, form, _id, _innerId, account) => listBankPayouts(emulator, form, account),
  },

  { method: 'POST', path: /^\/v1\/transfers$/, run: (emulator, form) => createTransfer(emulator, form) },
  {
    method: 'GET',
    path: /^\/v1\/transfers\/(\w+)$/,
    run: ({ records }, _, id) => records.require('transfer', id),
  },
  {
    method: 'GET',
    path: /^\/v1\/transfers$/,
    run: ({ records }, form) =>
      listPage(filterBy(records.all('transfer'), form, 'destination', 'transfer_group'), form),
  },
  {
    method: 'POST',
    path: /^\/v1\/transfers\/(\w+)\/reversals$/,
    run: (emulator, form, id) => reverseTransfer(emulator, id, form),
  },
];
