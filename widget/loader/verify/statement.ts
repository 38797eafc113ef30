import { createHash } from 'node:crypto';
import { checkCharge } from './charge';
import { count, credits, type Fields, isObject, nameOf, objects, strings, sumOf } from './fields';
import { Difference, type Report } from './report';
import { bytes, canonical, leafOf, readStatement, rootOf, type Statement, type Trusted } from './signed';

export function checkAccountDay(body: Fields, trusted: Trusted, report: Report): Statement {
  const account = readStatement(body.statement, trusted);
  if (account.scope !== 'account') throw new Difference('the statement is not that of an account');
  const apps = objects(body.apps).map((app) => checkAppDay(app, trusted, report));
  const listed = apps.map((app) => ({
    name: `the statement of ${app.app ?? 'purchases outside apps'}`,
    leaf: leafOf(app.signed),
  }));
  const isComplete = report.check(() => checkLeaves(account, strings(body.leaves), listed, report));
  const isInSum = report.check(() => {
    const [charged, ofApps] = [account.charged, sumOf(apps.map((app) => Number(app.charged)))];
    if (charged !== ofApps)
      throw new Difference(
        `${account.day}: the account was charged ${charged} microcredits, its apps ${ofApps}`,
      );
    const [change, inApps] = [
      account.closing - account.opening,
      sumOf(apps.map((app) => app.closing - app.opening)),
    ];
    if (change !== inApps)
      throw new Difference(
        `${account.day}: the balance changed by ${change} microcredits, the apps by ${inApps}`,
      );
  });
  if (isComplete && isInSum)
    report.pass(
      `account on ${account.day}: ${count(apps.length, 'app')}, balance ${credits(account.opening)} → ${credits(account.closing)} credits`,
    );
  return account;
}

export function checkAppDay(body: Fields, trusted: Trusted, report: Report): Statement {
  const statement = readStatement(body.statement, trusted);
  const entries = objects(body.entries);
  const listed = entries.map((entry) => ({ name: nameOf(entry), leaf: leafOf(canonical(entry)) }));
  const prices = new Map<unknown, Fields>();
  const isRight = [
    report.check(() => checkLeaves(statement, strings(body.leaves), listed, report)),
    ...objects(body.prices).map((price) =>
      report.check(() => prices.set(price.version, checkPrice(price, statement))),
    ),
    ...entries.map((entry) => report.check(() => checkEntry(entry, prices, statement))),
    report.check(() => checkSums(statement, entries)),
  ].every((done) => done);
  const receipts = entries.filter(({ type }) => type === 'receipt').length;
  if (isRight)
    report.pass(
      `${statement.app ?? 'outside any app'} on ${statement.day}: signed; ${count(receipts, 'receipt')} charged by tokens, price version and commission; ${count(entries.length, 'entry', 'entries')}, a change of ${credits(statement.closing - statement.opening)} credits`,
    );
  return statement;
}

type Listed = { name: string; leaf: string };

/** The entries are those whose hashes were signed. */
export function checkLeaves(statement: Statement, leaves: string[], listed: Listed[], report: Report): void {
  const { day, root, entries } = statement;
  if (leaves.length !== entries || rootOf(leaves.map(bytes)).toString('base64url') !== root)
    throw new Difference(`${day}: the hashes of the entries are not those that were signed`);
  const signed = new Set(leaves);
  const present = new Set(listed.map(({ leaf }) => leaf));
  const strange = listed.filter(({ leaf }) => !signed.has(leaf));
  for (const { name } of strange)
    report.fail(`${name} is not as it was on ${day}: it was changed or added after the day was closed`);
  const missing = leaves.filter((leaf) => !present.has(leaf)).length - strange.length;
  if (missing > 0)
    report.fail(`${day}: ${count(missing, 'entry', 'entries')} of the signed ${leaves.length} missing`);
  if (missing < 0 || listed.length !== leaves.length)
    report.fail(`${day}: ${leaves.length} were signed, ${count(listed.length, 'entry', 'entries')} listed`);
}

export function checkPrice(price: Fields, { prices, day }: Statement): Fields {
  const hash = createHash('sha256').update(canonical(price)).digest('base64url');
  if (!isObject(prices) || prices[String(price.version)] !== hash)
    throw new Difference(
      `the price version ${price.version} is not the one that the statement of ${day} covers`,
    );
  return price;
}

export function checkEntry(entry: Fields, prices: Map<unknown, Fields>, { day }: Statement): void {
  if (!String(entry.created_at).startsWith(day))
    throw new Difference(`${nameOf(entry)} is of ${entry.created_at}, not of ${day}`);
  if (entry.type === 'receipt') checkCharge(entry, prices.get(entry.price_version));
}

/** The change of the balance is that of the entries. */
export function checkSums(statement: Statement, entries: Fields[]): void {
  const receipts = entries.filter(({ type }) => type === 'receipt');
  const others = entries.filter(({ type }) => type !== 'receipt');
  const charged = sumOf(receipts.map((receipt) => Number(receipt.charged)));
  const rest = sumOf(others.map((entry) => Number(entry.credits)));
  const { day, opening, closing } = statement;
  if (statement.charged !== charged)
    throw new Difference(
      `${day}: the receipts add up to ${charged} microcredits, the statement says ${statement.charged}`,
    );
  if (closing - opening !== rest - charged)
    throw new Difference(
      `${day}: the entries add up to ${rest - charged} microcredits, the balance changed by ${closing - opening}`,
    );
}

/** Each day continues the one before. */
export function checkChain(days: Statement[], report: Report): void {
  const ordered = [...days].sort((a, b) => (a.day < b.day ? -1 : 1));
  for (const [at, next] of ordered.entries()) {
    const before = ordered[at - 1];
    if (before === undefined || before.signed === next.signed) continue;
    if (next.previous !== createHash('sha256').update(before.signed).digest('base64url'))
      throw new Difference(
        `${next.day} does not follow from ${before.day}: a day between them is missing here, or one was replaced`,
      );
    if (next.opening !== before.closing)
      throw new Difference(`${next.day} begins with another balance than ${before.day} ended with`);
    report.pass(`${next.day} follows from ${before.day}`);
  }
}

export function bySubject(statements: Statement[]): Statement[][] {
  const groups = new Map<string, Statement[]>();
  for (const statement of statements)
    groups.set(statement.sub, [...(groups.get(statement.sub) ?? []), statement]);
  return [...groups.values()];
}
