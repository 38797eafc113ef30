/** Which part of a list a page shows: `51–100 of 2,310`. */
export function positionOf({ page, rows, total }: { page: number; rows: number; total: number }): string {
  const count = (value: number) => value.toLocaleString('en');
  const first = Math.min((page - 1) * rows + 1, total);
  return `${count(first)}–${count(Math.min(page * rows, total))} of ${count(total)}`;
}
