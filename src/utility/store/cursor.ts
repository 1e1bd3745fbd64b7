export type Order = 'asc' | 'desc'

/** A position in a collection, opaque to the caller: the order and the id of the last returned row. */
export function toCursor(order: Order, id: number): string {
  return Buffer.from(`${order} ${id}`).toString('base64url')
}

/** Decodes a cursor; null if it is invalid, or has the other order. */
export function parseCursor(text: string, order: Order): number | null {
  const match = /^(asc|desc) (\d{1,16})$/.exec(Buffer.from(text, 'base64url').toString())
  return match?.[1] === order ? Number(match[2]) : null
}
