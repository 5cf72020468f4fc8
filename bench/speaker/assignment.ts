/**
 * Pairs rows with columns so that the sum of costs is least (Hungarian method). Gives the column of each row, or −1
 * where there are fewer columns than rows.
 */
export function cheapestAssignment(costs: readonly (readonly number[])[]): number[] {
  const rows = costs.length;
  const columns = Math.max(0, ...costs.map((row) => row.length));
  const size = Math.max(rows, columns);
  const cost = (row: number, column: number): number => costs[row - 1]?.[column - 1] ?? 0;
  const rowPotential = new Array<number>(size + 1).fill(0);
  const columnPotential = new Array<number>(size + 1).fill(0);
  /** The row that a column is given to; 0: none. */
  const rowOf = new Array<number>(size + 1).fill(0);
  const before = new Array<number>(size + 1).fill(0);
  for (let row = 1; row <= size; row += 1) {
    rowOf[0] = row;
    let column = 0;
    const slack = new Array<number>(size + 1).fill(Number.POSITIVE_INFINITY);
    const used = new Array<boolean>(size + 1).fill(false);
    do {
      used[column] = true;
      const current = rowOf[column] ?? 0;
      let step = Number.POSITIVE_INFINITY;
      let next = 0;
      for (let other = 1; other <= size; other += 1) {
        if (used[other]) continue;
        const reduced = cost(current, other) - (rowPotential[current] ?? 0) - (columnPotential[other] ?? 0);
        if (reduced < (slack[other] ?? 0)) {
          slack[other] = reduced;
          before[other] = column;
        }
        if ((slack[other] ?? 0) < step) {
          step = slack[other] ?? 0;
          next = other;
        }
      }
      for (let other = 0; other <= size; other += 1) {
        if (used[other]) {
          const owner = rowOf[other] ?? 0;
          rowPotential[owner] = (rowPotential[owner] ?? 0) + step;
          columnPotential[other] = (columnPotential[other] ?? 0) - step;
        } else slack[other] = (slack[other] ?? 0) - step;
      }
      column = next;
    } while (rowOf[column] !== 0);
    while (column !== 0) {
      const previous = before[column] ?? 0;
      rowOf[column] = rowOf[previous] ?? 0;
      column = previous;
    }
  }
  const result = new Array<number>(rows).fill(-1);
  for (let column = 1; column <= columns; column += 1) {
    const row = rowOf[column] ?? 0;
    if (row >= 1 && row <= rows) result[row - 1] = column - 1;
  }
  return result;
}
