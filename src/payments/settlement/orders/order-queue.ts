/**
 * How long orders gather while a group is in progress: short compared with a block of 2 s, long enough to
 * share one.
 */
const GATHER_MS = 250
/** Collects orders that arrive together and passes them on in groups. */
export type OrderQueue<Order> = {
  add(order: Order): void
  /** Removes an order; false if it has already been passed on. */
  remove(order: Order): boolean
}

/**
 * Passes orders on at once if no group is in progress, so that a single payment waits for nobody; otherwise
 * when a group returns, is full, or has gathered for its time. Groups run concurrently, because a block takes
 * long.
 */
export function createOrderQueue<Order>(
  limits: { readonly groupSize: number; readonly maxInFlight: number },
  handOn: (group: readonly Order[]) => Promise<void>,
): OrderQueue<Order> {
  const { groupSize, maxInFlight } = limits
  const waiting = new Set<Order>()
  let underWay = 0
  let timer: NodeJS.Timeout | null = null
  let isFlushDue = false

  const flush = () => {
    isFlushDue = false
    if (timer) clearTimeout(timer)
    timer = null
    while (waiting.size > 0 && underWay < maxInFlight) {
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
        // Whatever else arrives in this turn joins.
        if (!isFlushDue) setImmediate(flush)
        isFlushDue = true
      } else timer ??= setTimeout(flush, GATHER_MS)
    },
    remove: (order) => waiting.delete(order),
  }
}
