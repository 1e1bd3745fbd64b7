/** While something is under way, orders gather for so long: little beside a block of 2 s, enough to share one. */
const GATHER_MS = 250
/** Transactions of one wallet that may wait in a mempool at a time; nodes hold 16 to 64. */
const MOST_UNDER_WAY = 8

/** Collects what arrives together and hands it on in groups. */
export type OrderQueue<Order> = {
  add(order: Order): void
  /** Takes an order out again; false when it has been handed on. */
  remove(order: Order): boolean
}

/**
 * Hands on at once when nothing is under way, so that a lone payment waits for nobody; otherwise when a group
 * returns, is full, or has gathered for a while. Groups go side by side, since a block takes long.
 */
export function createOrderQueue<Order>(
  groupSize: number,
  handOn: (group: readonly Order[]) => Promise<void>,
): OrderQueue<Order> {
  const waiting = new Set<Order>()
  let underWay = 0
  let timer: NodeJS.Timeout | null = null
  let isFlushDue = false

  const flush = () => {
    isFlushDue = false
    if (timer) clearTimeout(timer)
    timer = null
    while (waiting.size > 0 && underWay < MOST_UNDER_WAY) {
      const group = [...waiting].slice(0, groupSize)
      for (const order of group) waiting.delete(order)
      underWay++
      void handOn(group).finally(() => {
        underWay--
        if (waiting.size > 0) flush()
      })
    }
  }
  return {
    add(order) {
      waiting.add(order)
      if (underWay === 0 || waiting.size >= groupSize) {
        // What else arrives in this turn joins.
        if (!isFlushDue) setImmediate(flush)
        isFlushDue = true
      } else timer ??= setTimeout(flush, GATHER_MS)
    },
    remove: (order) => waiting.delete(order),
  }
}
