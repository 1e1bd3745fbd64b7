/** Tasks of one owner, in order. */
export type Row<Owner, Item> = {
  readonly owner: Owner
  readonly items: Iterator<Item>
  /** Items of this row that may run concurrently. */
  readonly max: number
}

/** Takes items of many rows in rotation, so that all rows advance evenly. */
export type Rotation<Owner, Item> = {
  /**
   * The next item that may start, or null. A caller that finishes an item takes again, so no row is
   * forgotten.
   */
  take(): { readonly owner: Owner; readonly item: Item; end(): void } | null
}

export function createRotation<Owner, Item>(rows: readonly Row<Owner, Item>[]): Rotation<Owner, Item> {
  const waiting = rows.map((row) => ({ ...row, open: 0 }))
  return {
    take() {
      for (let left = waiting.length; left > 0; left -= 1) {
        const row = waiting.shift()
        if (!row) return null
        const next = row.open < row.max ? row.items.next() : null
        // A row without further items is not put back.
        if (next?.done) continue
        waiting.push(row)
        if (!next) continue
        row.open += 1
        const end = () => {
          row.open -= 1
        }
        return { owner: row.owner, item: next.value, end }
      }
      return null
    },
  }
}
