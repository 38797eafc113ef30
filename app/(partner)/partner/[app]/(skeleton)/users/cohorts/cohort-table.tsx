import { type Cohort, type CohortMonth, LEAST_BUYERS } from '@/server/reports/activity/cohorts';
import { inCredits, inNumber } from '../../../money';

/** From few to many, told apart by lightness in both colour schemes. */
const SHADES = ['', 'bg-accent/8', 'bg-accent/16', 'bg-accent/24', 'bg-accent/32', 'bg-accent/40'];

type Details = NonNullable<Cohort['details']>;

/** A table where it fits; on a phone, a card for each cohort. */
export function CohortTable({ cohorts }: { cohorts: Cohort[] }) {
  const columns = Math.max(1, ...cohorts.map(({ details }) => details?.later.length ?? 0));
  return (
    <>
      <Wide cohorts={cohorts} columns={columns} />
      <ul className="sm:hidden">
        {cohorts.map((cohort) => (
          <Card key={cohort.month} cohort={cohort} />
        ))}
      </ul>
    </>
  );
}

function Wide({ cohorts, columns }: { cohorts: Cohort[]; columns: number }) {
  const title = 'Buyers by month of first purchase';
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
    <section aria-label={title} tabIndex={0} className="overflow-x-auto pb-3 max-sm:hidden">
      <table className="w-full border-collapse text-sm tabular-nums">
        <caption className="sr-only">{title}, and their share that came back in each later month</caption>
        <thead>
          <tr className="border-b border-line text-[13px] text-muted">
            <th scope="col" className="py-2 pl-5 text-left font-medium">
              First purchase
            </th>
            <th scope="col" className="px-3 py-2 text-right font-medium">
              Buyers
            </th>
            <th scope="col" className="px-3 py-2 text-right font-medium">
              Credits bought
            </th>
            {Array.from({ length: columns }, (_, index) => index + 1).map((after) => (
              <th key={after} scope="col" className="px-1 py-2 text-center font-medium">
                <span className="sr-only">Months later: </span>
                {after}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {cohorts.map(({ month, details }) => (
            <tr key={month} className="border-b border-line/70 last:border-0">
              <th scope="row" className="py-2 pl-5 text-left font-medium whitespace-nowrap">
                {writeMonth(month)}
              </th>
              {details === null ? (
                <td colSpan={columns + 2} className="px-3 py-2 text-muted">
                  Fewer than {LEAST_BUYERS} buyers
                </td>
              ) : (
                <WideDetails details={details} columns={columns} />
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function WideDetails({ details: { buyers, bought, later }, columns }: { details: Details; columns: number }) {
  return (
    <>
      <td className="px-3 py-2 text-right">{inNumber(buyers)}</td>
      <td className="px-3 py-2 text-right">{inCredits(bought)}</td>
      {later.map((month) => (
        <td key={month.month} className="p-0.5 text-center last:pr-4" title={writeTitle(month, buyers)}>
          <span className={`block min-w-11 rounded-md px-1 py-1.5 ${shadeOf(month, buyers)}`}>
            {inPercent(month, buyers)}
          </span>
        </td>
      ))}
      {later.length < columns && <td colSpan={columns - later.length} />}
    </>
  );
}

function Card({ cohort: { month, details } }: { cohort: Cohort }) {
  return (
    <li className="border-b border-line/70 px-5 py-4 text-sm last:border-0">
      <p className="flex justify-between gap-4 font-medium">
        <span>{writeMonth(month)}</span>
        {details !== null && <span className="tabular-nums">{inNumber(details.buyers)} buyers</span>}
      </p>
      {details === null ? (
        <p className="mt-1 text-muted">Fewer than {LEAST_BUYERS} buyers</p>
      ) : (
        <>
          <p className="mt-1 text-[13px] text-muted tabular-nums">
            {inCredits(details.bought)} credits bought
          </p>
          {details.later.length > 0 && (
            <ol className="mt-3 grid grid-cols-4 gap-1 text-center tabular-nums">
              {details.later.map((later) => (
                <li key={later.month} className={`rounded-md px-1 py-1.5 ${shadeOf(later, details.buyers)}`}>
                  <span className="block text-xs">{writeMonth(later.month)}</span>
                  {inPercent(later, details.buyers)}
                </li>
              ))}
            </ol>
          )}
        </>
      )}
    </li>
  );
}

const shareOf = ({ active }: CohortMonth, buyers: number): number => active / buyers;

const shadeOf = (month: CohortMonth, buyers: number): string =>
  SHADES[Math.ceil(shareOf(month, buyers) * (SHADES.length - 1))] ?? '';

const inPercent = (month: CohortMonth, buyers: number): string =>
  `${Math.round(100 * shareOf(month, buyers))}%`;

const writeTitle = (month: CohortMonth, buyers: number): string =>
  `${writeMonth(month.month)}: ${inNumber(month.active)} of ${inNumber(buyers)} buyers, ${inCredits(month.bought)} credits bought`;

/** `Nov 26` */
const writeMonth = (month: string): string =>
  new Intl.DateTimeFormat('en', { timeZone: 'UTC', month: 'short', year: '2-digit' }).format(
    new Date(`${month}-01`),
  );
