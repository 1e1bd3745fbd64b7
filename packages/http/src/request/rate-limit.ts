import type { Problem } from '../problem.ts'
import { groupAddress } from './client-address.ts'

/** Max clients remembered at once; the one with the oldest last request is evicted first. */
const MAX_CLIENTS = 50_000
const MINUTE_MS = 60_000
/** One token pays for this many bytes of a body; the first token is for the request itself. */
const BYTES_PER_TOKEN = 16_384
/** One token pays for this much run time that was not charged. */
const RUN_MS_PER_TOKEN = 100
/**
 * Tokens of one client that open requests may hold: bodies of 64 MB, so that parallel paid calls with large
 * bodies are not limited, but a flood of them is.
 */
const MAX_PENDING_TOKENS = 4_096
/** Tokens of all clients that bodies of open requests may hold: 512 MB, which bounds the memory of the process. */
const MAX_BODY_TOKENS = 32_768

/**
 * Chosen: the part of a budget that each reserve holds in addition. A reserve serves only requests that lead to a
 * payment, so that neither a refused upload nor a flood of unpaid requests stops those that pay.
 */
const RESERVE_SHARE = 10

/** Limits the work that one client may cause without paying. */
export type RateLimiter = {
  /** Takes one request: returns 0 if it may proceed, otherwise the seconds to wait before a retry. */
  take(clientAddress: string): number
  /**
   * Takes one request, and keeps its cost pending until it is known whether it was paid.
   * @param sponsor pays in place of the client, whose budget may be used up; only its bodies still count as the client's
   */
  open(client: string, sponsor?: RequestBudget): RequestBudget
  /** The same for a request that only asks for a price: if the budget is used up, from a reserve that holds its body. */
  openQuestion(client: string, bodyBytes?: number): RequestBudget
  /** One request of the reserve for payments that have yet to be verified. */
  openReserve(client: string): RequestBudget
}

/** The cost of one request for its client. The first of `giveBack` and `end` decides; later calls have no effect. */
export type RequestBudget = {
  /** 0 if the request may proceed, otherwise the seconds to wait before a retry; then nothing was taken. */
  readonly waitSeconds: number
  /** Whether another client is charged, too. */
  readonly isJoined: boolean
  /**
   * Adds a body of this many bytes; a negative number corrects an earlier one.
   * @returns null, or the problem if open requests hold too much; then nothing was added.
   */
  addBody(sizeBytes: number): Problem | null
  /** Adds a run of this many ms. */
  addRun(durationMs: number): void
  /** From now on, charges another client the same. */
  join(other: RequestBudget): void
  /**
   * The request was paid: it costs nothing.
   * @param challenges earlier requests that cost nothing either: those whose 402 it answered; default 0
   */
  giveBack(challenges?: number): void
  /** The request was not paid: everything that was added is taken. */
  end(): void
}

type Bucket = { tokens: number; filledAtMs: number; pending: number }

/** The budgets of clients with `perMinute` tokens each, and their reserves. */
export function createRateLimiter(perMinute: number, clock: () => number = Date.now): RateLimiter {
  const requests = new Buckets(perMinute, clock)
  const ofReserve = Math.ceil(perMinute / RESERVE_SHARE)
  const questions = new Buckets(ofReserve, clock)
  const payments = new Buckets(ofReserve, clock)
  return {
    take: (client) => requests.open(client).waitSeconds,
    open: (client, sponsor) => requests.open(client, { sponsor }),
    openQuestion(client, bodyBytes = 0) {
      const budget = requests.open(client)
      if (budget.waitSeconds === 0) return budget
      const tokens = 1 + Math.floor(bodyBytes / BYTES_PER_TOKEN)
      const spare = questions.open(client, { tokens })
      return spare.waitSeconds === 0 ? spare : budget
    },
    openReserve(client) {
      const budget = payments.open(client)
      let isOpen = budget.waitSeconds === 0
      return {
        ...budget,
        giveBack(challenges = 0) {
          if (isOpen) questions.add(client, challenges)
          isOpen = false
          budget.giveBack()
        },
        end() {
          isOpen = false
          budget.end()
        },
      }
    },
  }
}

/**
 * A token bucket for each client: `perMinute` requests at once, refilled evenly over a minute. The cost of a
 * request beyond its own token may overdraw the bucket by up to a minute. Memory is bounded; an evicted
 * client starts with a full bucket.
 */
class Buckets {
  readonly #perMinute: number
  readonly #clock: () => number
  readonly #buckets = new Map<string, Bucket>()
  /** Tokens that bodies of open requests hold. */
  #bodies = 0

  constructor(perMinute: number, clock: () => number) {
    this.#perMinute = perMinute
    this.#clock = clock
  }

  /** @param tokens that the bucket must have */
  open(
    client: string,
    { tokens = 1, sponsor }: { readonly tokens?: number; readonly sponsor?: RequestBudget | undefined } = {},
  ): RequestBudget {
    const bucket = this.#bucketOf(groupAddress(client))
    if (!sponsor) {
      const missing = tokens - bucket.tokens
      if (missing > 0) return refused(Math.ceil(missing / this.#perMs / 1000))
      bucket.tokens -= 1
    }
    return this.#openBudget(bucket, sponsor)
  }

  add(client: string, tokens: number): void {
    const bucket = this.#bucketOf(groupAddress(client))
    bucket.tokens = Math.min(this.#perMinute, bucket.tokens + tokens)
  }

  get #perMs(): number {
    return this.#perMinute / MINUTE_MS
  }

  #bucketOf(client: string): Bucket {
    const known = this.#buckets.get(client)
    if (known) {
      this.#refill(known)
      // Re-inserted, so that the map's order is the order of last use.
      this.#buckets.delete(client)
      this.#buckets.set(client, known)
      return known
    }
    if (this.#buckets.size >= MAX_CLIENTS) {
      const oldest = this.#buckets.keys().next().value
      if (oldest !== undefined) this.#buckets.delete(oldest)
    }
    const fresh = { tokens: this.#perMinute, filledAtMs: this.#clock(), pending: 0 }
    this.#buckets.set(client, fresh)
    return fresh
  }

  #refill(bucket: Bucket): void {
    const nowMs = this.#clock()
    const elapsedMs = Math.max(0, nowMs - bucket.filledAtMs)
    bucket.tokens = Math.min(this.#perMinute, bucket.tokens + elapsedMs * this.#perMs)
    bucket.filledAtMs = nowMs
  }

  /** Changes what the requests of a bucket hold while they are open. */
  #hold(bucket: Bucket, change: { readonly pending: number; readonly bodies: number }): void {
    bucket.pending += change.pending
    this.#bodies += change.bodies
  }

  #findBodyProblem(bucket: Bucket, tokens: number): Problem | null {
    if (bucket.pending > 0 && bucket.pending + tokens > MAX_PENDING_TOKENS) return tooMany(1)
    return this.#bodies > 0 && tokens > 0 && this.#bodies + tokens > MAX_BODY_TOKENS ? TOO_MANY_BODIES : null
  }

  /** Takes the cost of a request that ended; a negative one is given back. */
  #charge(bucket: Bucket, cost: number): void {
    this.#refill(bucket)
    bucket.tokens = Math.min(this.#perMinute, Math.max(-this.#perMinute, bucket.tokens - cost))
  }

  #openBudget(bucket: Bucket, sponsor: RequestBudget | undefined): RequestBudget {
    let bytes = 0
    let runMs = 0
    let pending = 0
    let bodies = 0
    let isOpen = true
    let joined = sponsor
    const hold = () => {
      const before = { pending, bodies }
      bodies = Math.floor(bytes / BYTES_PER_TOKEN)
      pending = bodies + Math.floor(runMs / RUN_MS_PER_TOKEN)
      this.#hold(bucket, { pending: pending - before.pending, bodies: bodies - before.bodies })
    }
    const close = (cost: number) => {
      if (!isOpen) return
      isOpen = false
      this.#hold(bucket, { pending: -pending, bodies: -bodies })
      if (!sponsor) this.#charge(bucket, cost)
    }
    return {
      waitSeconds: 0,
      get isJoined() {
        return joined !== undefined
      },
      addBody: (sizeBytes) => {
        if (!isOpen) return null
        const problem =
          this.#findBodyProblem(bucket, Math.floor(sizeBytes / BYTES_PER_TOKEN)) ??
          joined?.addBody(sizeBytes) ??
          null
        if (problem) return problem
        bytes += sizeBytes
        hold()
        return null
      },
      addRun(durationMs) {
        joined?.addRun(durationMs)
        if (!isOpen) return
        runMs += Math.max(0, durationMs)
        hold()
      },
      join(other) {
        joined = other
      },
      giveBack(challenges = 0) {
        joined?.giveBack()
        close(-1 - challenges)
      },
      end() {
        joined?.end()
        close(pending)
      },
    }
  }
}

function refused(waitSeconds: number): RequestBudget {
  const nothing = () => {}
  const isJoined = false
  return {
    waitSeconds,
    isJoined,
    addBody: () => null,
    addRun: nothing,
    join: nothing,
    giveBack: nothing,
    end: nothing,
  }
}

/** The problem for a client that sent too many requests without paying. */
export function tooMany(retryAfterSeconds: number): Problem {
  return {
    code: 'rate_limited',
    detail: `Too many unpaid requests; retry in ${retryAfterSeconds} seconds.`,
    retryAfterSeconds,
  }
}

const TOO_MANY_BODIES: Problem = {
  code: 'unavailable',
  detail: 'Too many large bodies of other callers are in memory. Nothing was charged.',
  retryAfterSeconds: 1,
}
