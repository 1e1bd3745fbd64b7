import { currentOwner } from './owner.ts'

/** Too much work is queued; the message is for the caller. */
export class Busy extends Error {
  override readonly name = 'Busy'
  readonly retryAfterSeconds: number
  constructor(message: string, options: ErrorOptions & { readonly retryAfterSeconds?: number } = {}) {
    super(message, options)
    this.retryAfterSeconds = options.retryAfterSeconds ?? 5
  }
}

/** Limits how many pieces of work run at a time, fairly between those on whose behalf they run (`runFor`). */
export type Semaphore = {
  /**
   * Waits for a permit.
   * @param key what the permit is for; each key has permits of its own. Default: one for all.
   * @returns a function that releases the permit; only its first call counts.
   * @throws Busy if too many wait; the signal's reason.
   */
  acquire(signal: AbortSignal, key?: string): Promise<() => void>
  /** As `acquire`, but null if no permit is free. */
  tryAcquire(key?: string): (() => void) | null
  /** Pieces of work that wait, for any key. */
  waiting(): number
}

export type SemaphoreOptions = {
  /** Permits of one key, in this process. A function is called whenever a permit may be granted. */
  readonly max: number | ((key: string) => number)
  /** Pieces of work that may wait for one key. */
  readonly maxWaiting: number
  /**
   * Permits that one owner may hold. The default leaves one for others, so that a short call never waits for
   * the long ones of a single other owner, unless there is only one permit. Unlimited if `max` is a function.
   */
  readonly maxPerOwner?: number
  /** The message for a caller that is turned away. */
  readonly message?: string
  readonly retryAfterSeconds?: number
}

/** Work without an owner is an owner of its own. */
type Owner = string | symbol
type Waiter = { readonly start: () => void; readonly refuse: (error: Error) => void }
type Line = {
  readonly key: string
  total: number
  readonly running: Map<Owner, number>
  /** In the order in which owners get a permit: an owner that gets one moves to the end. */
  readonly waiting: Map<Owner, Waiter[]>
}

/**
 * Owners take turns: among those that wait, one that runs nothing goes first. If the queue is full, an owner
 * with fewer waiting calls takes the place of the last call of the owner with the most.
 */
export function createSemaphore(options: SemaphoreOptions): Semaphore {
  const { max, maxWaiting } = options
  const { maxPerOwner = typeof max === 'number' ? Math.max(1, max - 1) : Number.POSITIVE_INFINITY } = options
  const lines = new Map<string, Line>()

  const isFree = (line: Line, owner: Owner) =>
    line.total < (typeof max === 'number' ? max : max(line.key)) &&
    (line.running.get(owner) ?? 0) < maxPerOwner

  function begin(line: Line, owner: Owner): void {
    line.total += 1
    line.running.set(owner, (line.running.get(owner) ?? 0) + 1)
  }

  function releaseOf(key: string, line: Line, owner: Owner): () => void {
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      line.total -= 1
      const left = (line.running.get(owner) ?? 0) - 1
      if (left > 0) line.running.set(owner, left)
      else line.running.delete(owner)
      while (startNext(line));
      if (line.total === 0) lines.delete(key)
    }
  }

  /** Returns whether there was a permit, and somebody waiting for it. */
  function startNext(line: Line): boolean {
    const free = [...line.waiting.keys()].filter((owner) => isFree(line, owner))
    const owner = free.find((one) => !line.running.has(one)) ?? free[0]
    const queue = owner === undefined ? undefined : line.waiting.get(owner)
    const waiter = queue?.shift()
    if (owner === undefined || !queue || !waiter) return false
    line.waiting.delete(owner)
    if (queue.length > 0) line.waiting.set(owner, queue)
    // The permit is passed on at once: no new call can get in between.
    begin(line, owner)
    waiter.start()
    return true
  }

  function makeRoom(line: Line, owner: Owner): void {
    const queues = [...line.waiting.values()]
    if (queues.reduce((sum, queue) => sum + queue.length, 0) < maxWaiting) return
    const longest = queues.reduce((one, other) => (other.length > one.length ? other : one), [] as Waiter[])
    if (longest.length <= (line.waiting.get(owner)?.length ?? 0) + 1) throw busy()
    longest.pop()?.refuse(busy())
  }

  function busy(): Busy {
    const { message = 'Too many calls are waiting.', retryAfterSeconds = 5 } = options
    return new Busy(message, { retryAfterSeconds })
  }

  function enter(key: string): { readonly line: Line; readonly owner: Owner; readonly hasBegun: boolean } {
    const owner = currentOwner() ?? Symbol('work without an owner')
    const line = lines.get(key) ?? { key, total: 0, running: new Map(), waiting: new Map() }
    const hasBegun = isFree(line, owner)
    if (hasBegun) begin(line, owner)
    lines.set(key, line)
    return { line, owner, hasBegun }
  }

  return {
    tryAcquire(key = '') {
      const { line, owner, hasBegun } = enter(key)
      return hasBegun ? releaseOf(key, line, owner) : null
    },
    waiting() {
      const queues = [...lines.values()].flatMap((line) => [...line.waiting.values()])
      return queues.reduce((sum, queue) => sum + queue.length, 0)
    },
    async acquire(signal, key = '') {
      signal.throwIfAborted()
      const { line, owner, hasBegun } = enter(key)
      if (!hasBegun) {
        makeRoom(line, owner)
        await wait(line, owner, signal)
      }
      return releaseOf(key, line, owner)
    },
  }
}

function wait(line: Line, owner: Owner, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const queue = line.waiting.get(owner) ?? []
  const waiter = { start: resolve, refuse: reject }
  queue.push(waiter)
  line.waiting.set(owner, queue)
  const leave = () => {
    const at = queue.indexOf(waiter)
    if (at < 0) return
    queue.splice(at, 1)
    if (queue.length === 0) line.waiting.delete(owner)
    reject(signal.reason)
  }
  signal.addEventListener('abort', leave, { once: true })
  return promise.finally(() => signal.removeEventListener('abort', leave))
}
