import { checkCharge } from './charge';
import { credits, type Fields, isObject, MICROCREDITS, nameOf, strings } from './fields';
import { Difference, type Report } from './report';
import {
  bytes,
  canonical,
  climb,
  leafOf,
  openSigned,
  readStatement,
  type Statement,
  type Trusted,
} from './signed';
import { checkPrice } from './statement';

export function checkReceiptResponse(
  body: Fields,
  proof: Fields,
  trusted: Trusted,
  report: Report,
): Statement[] {
  const receipt = openSigned(proof.receipt, 'svc-receipt', trusted);
  for (const [name, value] of Object.entries(body)) {
    const signed = name.endsWith('_credits') ? undefined : receipt[name];
    if (signed !== undefined && canonical(signed) !== canonical(value))
      throw new Difference(`${nameOf(receipt)}: ${name} is ${value}, and ${signed} was signed`);
  }
  for (const [shown, name] of [
    ['charged_credits', 'charged'],
    ['provider_credits', 'provider_cost'],
    ['commission_credits', 'commission'],
    ['held_credits', 'held'],
  ] as const)
    if (Math.round(Number(body[shown]) * Number(MICROCREDITS)) !== receipt[name])
      throw new Difference(
        `${nameOf(receipt)}: ${shown} is ${body[shown]}, and ${receipt[name]} microcredits were signed`,
      );
  const price = proof.price === null ? undefined : openSigned(proof.price, 'svc-price', trusted);
  checkCharge(receipt, price);
  report.pass(
    `${nameOf(receipt)}: signed; its tokens at ${receipt.price_version} and ${Number(receipt.commission_bp) / 100}% commission cost ${credits(Number(receipt.charged))} credits`,
  );
  if (proof.statement === null) {
    report.note('its day is not closed yet, so no statement contains it');
    return [];
  }
  const statement = readStatement(proof.statement, trusted);
  if (price) checkPrice(price, statement);
  checkInclusion(receipt, proof.inclusion, statement);
  report.pass(`the statement of ${statement.day} contains it`);
  return [];
}

export function checkInclusion(receipt: Fields, inclusion: unknown, { day, root, entries }: Statement): void {
  const name = nameOf(receipt);
  if (!String(receipt.created_at).startsWith(day))
    throw new Difference(`${name} is of ${receipt.created_at}, and its statement of ${day}`);
  if (!isObject(inclusion))
    throw new Difference(
      `${name} is not in the statement of ${day}: it was changed or added after the day was closed`,
    );
  const path = strings(inclusion.path).map(bytes);
  const found = climb(
    bytes(leafOf(canonical(receipt))),
    Number(inclusion.index),
    Number(inclusion.size),
    path,
  );
  if (inclusion.size !== entries || path.length > 0 || found.toString('base64url') !== root)
    throw new Difference(`${name} is not in the statement of ${day}`);
}
