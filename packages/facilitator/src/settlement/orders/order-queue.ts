/**
 * How long orders gather while a group is in progress: short compared with a block of 2 s, long enough to
 * share one.
 */
const GATHER_MS = 250
/** The same while none is: orders that arrive together take about as long to be read and stored. */
const IDLE_GATHER_MS = 20

/** Collects orders that arrive together and passes them on in groups. */
export type OrderQueue<Order> = {
  add(order: Order): void
  /** Removes an order; false if it has already been passed on. */
  remove(order: Order): boolean
  /** Orders that were not passed on yet. */
  size(): number
}

/**
 * Passes orders on in groups of half of those that were open at the same time lately: a single payment waits for
 * nobody, and of many, one half is prepared while the other is mined. Groups that do not fill leave when they have
 * gathered for their time. Groups run concurrently, because a block takes long.
 */
export function createOrderQueue<Order>(
  limits: { readonly groupSize: number; readonly maxInFlight: number },
  handOn: (group: readonly Order[]) => Promise<void>,
): OrderQueue<Order> {
  const { groupSize, maxInFlight } = limits
  const waiting = new Set<Order>()
  let groups = 0
  let ordersUnderWay = 0
  /** Orders that were open at the same time lately. */
  let busy = 0
  let timer: NodeJS.Timeout | null = null
  let isFlushDue = false

  const isFull = () => waiting.size >= Math.min(groupSize, maxInFlight > 1 ? busy / 2 : busy)
  const startTimer = () => {
    timer ??= setTimeout(
      () => {
        busy = waiting.size + ordersUnderWay
        flush()
      },
      groups === 0 ? IDLE_GATHER_MS : GATHER_MS,
    )
  }
  const flush = () => {
    isFlushDue = false
    if (timer) clearTimeout(timer)
    timer = null
    while (waiting.size > 0 && groups < maxInFlight) {
      const group = [...waiting].slice(0, groupSize)
      for (const order of group) waiting.delete(order)
      groups += 1
      ordersUnderWay += group.length
      void handOn(group).finally(() => {
        groups -= 1
        ordersUnderWay -= group.length
        if (groups === 0) {
          if (timer) clearTimeout(timer)
          timer = null
        }
        if (isFull()) flush()
        else if (waiting.size > 0) startTimer()
      })
    }
  }
  return {
    add(order) {
      waiting.add(order)
      busy = Math.max(busy, waiting.size + ordersUnderWay)
      if (!isFull()) return startTimer()
      // Whatever else arrives in this turn joins.
      if (!isFlushDue) setImmediate(flush)
      isFlushDue = true
    },
    remove: (order) => waiting.delete(order),
    size: () => waiting.size,
  }
}
