import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Rows } from './connection.ts'
import { CONTROL, type WriteFailure, type WriteOutcome } from './messages.ts'

/** An error of SQLite; `errcode` is the extended result code of https://sqlite.org/rescode.html */
class SqliteError extends Error {
  readonly code: string
  readonly errcode: number
  constructor(failure: WriteFailure) {
    super(failure.message)
    this.name = 'SqliteError'
    this.code = failure.code
    this.errcode = failure.errcode
  }
}

type Waiting = {
  readonly resolve: (outcome: Exclude<WriteOutcome, { failure: WriteFailure }>) => void
  readonly reject: (error: Error) => void
}
type Held = Waiting & {
  readonly sql: string | null
  readonly parameters: readonly unknown[]
  readonly isLazy: boolean
}

/** Texts known to the thread; generated ones with long lists would accumulate. */
const MAX_TEXTS = 1_000

/** Starts the thread that owns the write connection. @throws the thread's error if the file cannot be opened. */
export async function startWriter(path: string): Promise<Writer> {
  const worker = new Worker(new URL('./writer.worker.ts', import.meta.url), { workerData: path })
  // The first message confirms that the file is open; failure to open it is the thread's error.
  await once(worker, 'message')
  return new Writer(worker)
}

/**
 * The writing side of a SQLite file: statements of many callers, and one transaction at a time. The requests of a turn
 * of the event loop are committed with one fsync.
 */
export class Writer {
  readonly #worker: Worker
  /** In the order of the thread's replies. */
  #waiting: Waiting[] = []
  /** Requests that arrived during another caller's transaction. */
  #held: Held[] = []
  #isTransactionOpen = false
  #broken: Error | null = null
  /** Lazy statements are numbered separately. */
  #numbers = { eager: new Map<string, number>(), lazy: new Map<string, number>() }
  #steps: (number | readonly unknown[] | null)[] = []
  #texts: [number, string, boolean][] = []
  #forget = false
  #isFlushPlanned = false
  /** One function for all turns. */
  readonly #flushLater = (): void => this.#flush()

  /** @param worker has confirmed that the file is open */
  constructor(worker: Worker) {
    this.#worker = worker
    worker.on('message', (outcomes: readonly WriteOutcome[]) => this.#receive(outcomes))
    worker.on('error', (error) => this.#fail(error))
    worker.on('exit', () => this.#fail(new Error('the state store is closed')))
    worker.unref()
  }

  /** Runs one statement; when this resolves it is on disk, unless it is lazy or inside a transaction. */
  run(
    sql: string,
    parameters: readonly unknown[],
    {
      isInTransaction = false,
      isLazy = false,
    }: { readonly isInTransaction?: boolean; readonly isLazy?: boolean },
  ): Promise<Rows | number> {
    return this.#ask(sql, parameters, isInTransaction, isLazy)
  }

  /** Waits for exclusive access; all other writes wait until the transaction ends. */
  async begin(): Promise<void> {
    await this.#ask(null, [], false)
  }

  async end(how: 'commit' | 'rollback'): Promise<void> {
    try {
      await new Promise((resolve, reject) => {
        if (this.#broken) reject(this.#broken)
        else this.#post(CONTROL[how], null, { resolve, reject })
      })
    } finally {
      this.#release()
    }
  }

  async close(): Promise<void> {
    if (this.#broken) return
    this.#flush()
    this.#broken = new Error('the state store is closed')
    this.#worker.ref()
    const exit = once(this.#worker, 'exit')
    this.#worker.postMessage({ texts: [], steps: [], forget: false, close: true })
    await exit
  }

  #ask(
    sql: string | null,
    parameters: readonly unknown[],
    isAdmitted: boolean,
    isLazy = false,
  ): Promise<Rows | number> {
    return new Promise<Rows | number>((resolve, reject) => {
      if (this.#broken) return reject(this.#broken)
      const entry = { sql, parameters, isLazy, resolve, reject }
      if (this.#isTransactionOpen && !isAdmitted) this.#held.push(entry)
      else this.#admit(entry)
    })
  }

  #admit(entry: Held): void {
    if (entry.sql !== null) {
      this.#post(this.#numberOf(entry.sql, entry.isLazy), entry.parameters.map(toCloneable), entry)
      return
    }
    this.#isTransactionOpen = true
    this.#post(CONTROL.begin, null, {
      resolve: entry.resolve,
      reject: (error) => {
        this.#release()
        entry.reject(error)
      },
    })
  }

  /** The transaction has ended: pending requests continue, up to the next transaction. */
  #release(): void {
    this.#isTransactionOpen = false
    const entries = this.#held
    this.#held = []
    for (const entry of entries) {
      if (this.#isTransactionOpen) this.#held.push(entry)
      else this.#admit(entry)
    }
  }

  #post(step: number, parameters: readonly unknown[] | null, caller: Waiting): void {
    // The thread keeps the process alive only while a caller waits for it.
    if (this.#waiting.length === 0) this.#worker.ref()
    this.#waiting.push(caller)
    this.#steps.push(step, parameters)
    if (this.#isFlushPlanned) return
    this.#isFlushPlanned = true
    setImmediate(this.#flushLater)
  }

  #numberOf(sql: string, isLazy: boolean): number {
    const known = (isLazy ? this.#numbers.lazy : this.#numbers.eager).get(sql)
    if (known !== undefined) return known
    if (this.#numbers.eager.size + this.#numbers.lazy.size >= MAX_TEXTS) {
      this.#flush()
      this.#numbers = { eager: new Map(), lazy: new Map() }
      this.#forget = true
    }
    const { eager, lazy } = this.#numbers
    const number = eager.size + lazy.size
    const provided = isLazy ? lazy : eager
    provided.set(sql, number)
    this.#texts.push([number, sql, isLazy])
    return number
  }

  #flush(): void {
    this.#isFlushPlanned = false
    if (this.#steps.length === 0) return
    const request = { texts: this.#texts, steps: this.#steps, forget: this.#forget, close: false }
    this.#steps = []
    this.#texts = []
    this.#forget = false
    this.#worker.postMessage(request)
  }

  #receive(outcomes: readonly WriteOutcome[]): void {
    const callers = this.#waiting.splice(0, outcomes.length)
    let answered = 0
    for (const outcome of outcomes) {
      const caller = callers[answered++]
      if (typeof outcome === 'object' && 'failure' in outcome)
        caller?.reject(new SqliteError(outcome.failure))
      else caller?.resolve(outcome)
    }
    if (this.#waiting.length === 0) this.#worker.unref()
  }

  #fail(error: Error): void {
    this.#broken ??= error
    for (const caller of [...this.#waiting, ...this.#held]) caller.reject(this.#broken)
    this.#waiting = []
    this.#held = []
  }
}

/** A view of a larger buffer would be sent with the whole buffer. */
function toCloneable(value: unknown): unknown {
  if (!(value instanceof Uint8Array)) return value
  return value.byteLength === value.buffer.byteLength ? value : new Uint8Array(value)
}
