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

/** The writing side of a SQLite file: statements of many callers, and one transaction at a time. */
export interface Writer {
  /** Runs one statement; when this resolves it is on disk, unless it is lazy or inside a transaction. */
  run(
    sql: string,
    parameters: readonly unknown[],
    how: { readonly isInTransaction?: boolean; readonly isLazy?: boolean },
  ): Promise<Rows | number>
  /** Waits for exclusive access; all other writes wait until the transaction ends. */
  begin(): Promise<void>
  end(how: 'commit' | 'rollback'): Promise<void>
  close(): Promise<void>
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

/** Starts the thread that owns the write connection, and commits the requests of a turn with one fsync. */
export async function startWriter(path: string): Promise<Writer> {
  const worker = new Worker(new URL('./writer.worker.ts', import.meta.url), { workerData: path })
  // The first message confirms that the file is open; failure to open it is the thread's error.
  await once(worker, 'message')

  /** In the order of the thread's replies. */
  let waiting: Waiting[] = []
  let answered = 0
  /** Requests that arrived during another caller's transaction. */
  let held: Held[] = []
  let isTransactionOpen = false
  let broken: Error | null = null

  /** Lazy statements are numbered separately. */
  let numbers = { eager: new Map<string, number>(), lazy: new Map<string, number>() }
  let steps: (number | readonly unknown[] | null)[] = []
  let texts: [number, string, boolean][] = []
  let forget = false
  let isFlushPlanned = false

  function flush(): void {
    isFlushPlanned = false
    if (steps.length === 0) return
    const request = { texts, steps, forget, close: false }
    steps = []
    texts = []
    forget = false
    worker.postMessage(request)
  }

  function post(step: number, parameters: readonly unknown[] | null, caller: Waiting): void {
    // The thread keeps the process alive only while a caller waits for it.
    if (waiting.length === 0) worker.ref()
    waiting.push(caller)
    steps.push(step, parameters)
    if (isFlushPlanned) return
    isFlushPlanned = true
    setImmediate(flush)
  }

  function numberOf(sql: string, isLazy: boolean): number {
    const known = (isLazy ? numbers.lazy : numbers.eager).get(sql)
    if (known !== undefined) return known
    if (numbers.eager.size + numbers.lazy.size >= MAX_TEXTS) {
      flush()
      numbers = { eager: new Map(), lazy: new Map() }
      forget = true
    }
    const number = numbers.eager.size + numbers.lazy.size
    const provided = isLazy ? numbers.lazy : numbers.eager
    provided.set(sql, number)
    texts.push([number, sql, isLazy])
    return number
  }

  function admit(entry: Held): void {
    if (entry.sql !== null) {
      post(numberOf(entry.sql, entry.isLazy), entry.parameters.map(toCloneable), entry)
      return
    }
    isTransactionOpen = true
    post(CONTROL.begin, null, {
      resolve: entry.resolve,
      reject: (error) => {
        release()
        entry.reject(error)
      },
    })
  }

  /** The transaction has ended: pending requests continue, up to the next transaction. */
  function release(): void {
    isTransactionOpen = false
    const entries = held
    held = []
    for (const entry of entries) {
      if (isTransactionOpen) held.push(entry)
      else admit(entry)
    }
  }

  function ask(sql: string | null, parameters: readonly unknown[], isAdmitted: boolean, isLazy = false) {
    return new Promise<Rows | number>((resolve, reject) => {
      if (broken) return reject(broken)
      const entry = { sql, parameters, isLazy, resolve, reject }
      if (isTransactionOpen && !isAdmitted) held.push(entry)
      else admit(entry)
    })
  }

  worker.on('message', (outcomes: readonly WriteOutcome[]) => {
    for (const outcome of outcomes) {
      const caller = waiting[answered++]
      if (typeof outcome === 'object' && 'failure' in outcome)
        caller?.reject(new SqliteError(outcome.failure))
      else caller?.resolve(outcome)
    }
    waiting.splice(0, answered)
    answered = 0
    if (waiting.length === 0) worker.unref()
  })
  worker.on('error', fail)
  worker.on('exit', () => fail(new Error('the state store is closed')))
  worker.unref()

  function fail(error: Error): void {
    broken ??= error
    for (const caller of [...waiting.slice(answered), ...held]) caller.reject(broken)
    waiting = []
    answered = 0
    held = []
  }

  return {
    run: (sql, parameters, { isInTransaction = false, isLazy = false }) =>
      ask(sql, parameters, isInTransaction, isLazy),
    begin: async () => {
      await ask(null, [], false)
    },
    end: async (how) => {
      try {
        await new Promise((resolve, reject) => {
          if (broken) reject(broken)
          else post(CONTROL[how], null, { resolve, reject })
        })
      } finally {
        release()
      }
    },
    close: async () => {
      if (broken) return
      flush()
      broken = new Error('the state store is closed')
      worker.ref()
      const exit = once(worker, 'exit')
      worker.postMessage({ texts: [], steps: [], forget: false, close: true })
      await exit
    },
  }
}

/** A view of a larger buffer would be sent with the whole buffer. */
function toCloneable(value: unknown): unknown {
  if (!(value instanceof Uint8Array)) return value
  return value.byteLength === value.buffer.byteLength ? value : new Uint8Array(value)
}
