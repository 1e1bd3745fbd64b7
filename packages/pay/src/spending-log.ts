import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { AtomicUsdc } from '@tollbook/chain/usdc'
import { makeFolder } from '@tollbook/flow/make-folder'
import { openWriteConnection } from '@tollbook/store/sqlite/connection'

/** A signed payment as it is recorded before it is sent. */
export type NewPayment = {
  /** Payer and nonce. */
  readonly id: string
  /** Origin and path; a query may contain secrets. */
  readonly url: string
  /** Fingerprint of the request: the same request is sent with the same payment. */
  readonly request: string
  /** Whether the caller's own key identifies the request. */
  readonly hasKey: boolean
  readonly payTo: string
  /** The most that it can cost. */
  readonly amount: AtomicUsdc
  /** The payload that the payment's header encodes. */
  readonly payload: unknown
}

/**
 * `sent`: may have been charged. `reported`: its seller says so, and the chain has not shown it. `settled`: charged
 * `counted`, by the chain. `released`: can never be charged.
 */
export type PaymentState = 'sent' | 'reported' | 'settled' | 'released'

export type LoggedPayment = Omit<NewPayment, 'payload' | 'request' | 'hasKey'> & {
  /** Epoch milliseconds. */
  readonly at: number
  readonly state: PaymentState
  /** What the budget counts: the amount until its charge is known. */
  readonly counted: AtomicUsdc
  readonly transaction: string | null
}

export type StoredPayload = { readonly id: string; readonly payload: unknown }

/** `exists`: an earlier payment is for the same request and key, so that this one must not be sent. */
export type Reservation = 'made' | 'short' | 'exists'

/** `spent` is charged, `open` may have been charged. */
export type Totals = { readonly spent: AtomicUsdc; readonly open: AtomicUsdc }

/**
 * A file of all payments. Processes that share it share a budget, and a payment is on disk before `reserve`
 * returns.
 */
export type SpendingLog = {
  /** Records a payment; `short`, and nothing is recorded, if the log's payments would then exceed the budget. */
  reserve(payment: NewPayment, budget: AtomicUsdc): Reservation
  /** The newest payment of a day that may still buy an answer to this request, except those of `busy`. */
  findUnanswered(request: string, busy: ReadonlySet<string>): StoredPayload | null
  /** Payments whose charge is not known. */
  listOpen(): readonly StoredPayload[]
  /** Its seller says which transaction charged it. It counts as open until the chain shows it. */
  report(id: string, transaction: string): void
  settle(id: string, charged: AtomicUsdc, transaction: string): void
  /** Only for a payment that can no longer be settled. */
  release(id: string): void
  /** The answer has arrived whole, or there is none to expect: the next request pays anew. */
  markAnswered(id: string): void
  /** It buys no answer any more: the next request pays anew, also with the same key. */
  giveUp(id: string): void
  totals(): Totals
  find(id: string): LoggedPayment | null
  /** The newest payments first. */
  list(count: number): readonly LoggedPayment[]
  close(): void
}

const SCHEMA = `
create table if not exists payment (
  id text primary key, at integer not null, url text not null, request text not null, has_key integer not null,
  pay_to text not null, amount integer not null, counted integer not null, payload text,
  state text not null default 'sent', tx text, is_answered integer not null default 0
) strict;
create index if not exists payment_request on payment (request);
create index if not exists payment_at on payment (at);
create index if not exists payment_open on payment (counted) where state = 'sent';
-- The sum of all settled payments, so that reserving takes the same time however many there are.
create table if not exists total (id integer primary key check (id = 1), spent integer not null) strict;
insert or ignore into total values (1, 0);
create trigger if not exists payment_settled after update of state on payment
  when old.state = 'sent' and new.state = 'settled' begin
  update total set spent = spent + new.counted;
end;
`
/** Sellers store answers for about as long. */
const DAY_MS = 86_400_000
/** A payload that nobody will send again, and whose charge is known, is dropped. */
const NEEDED_PAYLOAD = 'case when has_key then payload end'

/** Opens a log, or creates one. @throws Error for a file that is not a log or cannot be written. */
export function openSpendingLog(path: string): SpendingLog {
  makeFolder(dirname(path), 0o700)
  const database = openWriteConnection(path)
  createTables(database, path)
  // A crash of the machine may lose what makes room, but never a reservation.
  database.exec('pragma synchronous = normal')
  const sum = database.prepare(
    `select spent, (select coalesce(sum(counted), 0) from payment where state = 'sent') as open from total`,
  )
  const insert = database.prepare(
    `insert into payment (id, at, url, request, has_key, pay_to, amount, counted, payload)
      values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const byRequest = database.prepare(
    `select id, payload from payment where request = ? and payload is not null and (has_key or not is_answered)
      and state <> 'released' and at > ? order by at desc`,
  )
  const byKey = database.prepare(
    `select 1 from payment where request = ? and payload is not null and has_key and state <> 'released' and at > ?`,
  )
  const open = database.prepare("select id, payload from payment where state = 'sent' order by at desc")
  const closing = `payload = case when is_answered then ${NEEDED_PAYLOAD} else payload end where id = ? and state = 'sent'`
  const reported = database.prepare("update payment set tx = ? where id = ? and state = 'sent'")
  const settled = database.prepare(`update payment set state = 'settled', counted = ?, tx = ?, ${closing}`)
  const released = database.prepare(
    `update payment set state = 'released', counted = 0, tx = null, ${closing}`,
  )
  const answered = database.prepare(
    `update payment set is_answered = 1, payload = case when state = 'sent' then payload else ${NEEDED_PAYLOAD} end
      where id = ?`,
  )
  const givenUp = database.prepare('update payment set is_answered = 1, has_key = 0 where id = ?')
  const columns = 'select id, at, url, pay_to, amount, counted, state, tx from payment'
  const newest = database.prepare(`${columns} order by at desc, rowid desc limit ?`)
  const byId = database.prepare(`${columns} where id = ?`)

  function totals(): Totals {
    const { spent, open: maybe } = sum.get() as Record<string, number>
    return { spent: BigInt(spent ?? 0), open: BigInt(maybe ?? 0) }
  }

  return {
    totals,
    reserve(payment, budget) {
      database.exec('pragma synchronous = full')
      // Takes the lock of the file, which ends with the process that holds it.
      database.exec('begin immediate')
      try {
        const { id, url, request, hasKey, payTo, amount, payload } = payment
        const before = totals()
        const isKnown = hasKey && byKey.get(request, Date.now() - DAY_MS) !== undefined
        const fits = before.spent + before.open + amount <= budget
        if (fits && !isKnown) {
          const text = JSON.stringify(payload)
          insert.run(id, Date.now(), url, request, hasKey ? 1 : 0, payTo, amount, amount, text)
        }
        database.exec('commit')
        return isKnown ? 'exists' : fits ? 'made' : 'short'
      } catch (error) {
        if (database.isTransaction) database.exec('rollback')
        throw error
      } finally {
        database.exec('pragma synchronous = normal')
      }
    },
    findUnanswered(request, busy) {
      const found = (byRequest.all(request, Date.now() - DAY_MS) as StoredText[]).find(
        ({ id }) => !busy.has(id),
      )
      return found ? parse(found) : null
    },
    listOpen: () => (open.all() as StoredText[]).map(parse),
    report: (id, transaction) => attempt(() => reported.run(transaction, id)),
    settle: (id, charged, transaction) => attempt(() => settled.run(charged, transaction, id)),
    release: (id) => attempt(() => released.run(id)),
    markAnswered: (id) => attempt(() => answered.run(id)),
    giveUp: (id) => attempt(() => givenUp.run(id)),
    find(id) {
      const row = byId.get(id) as Row | undefined
      return row ? toLogged(row) : null
    },
    list: (count) => (newest.all(count) as Row[]).map(toLogged),
    close: () => database.close(),
  }
}

/**
 * A write that only makes room, or lets the next request pay anew. If it fails, as on a full disk, no paid answer is
 * lost: the payment stays counted, and the next reservation fails with the reason.
 */
function attempt(write: () => unknown): void {
  try {
    write()
  } catch {}
}

/** In one transaction: another process sees all of the tables or none. */
function createTables(database: DatabaseSync, path: string): void {
  database.exec('begin immediate')
  const names = database.prepare("select name from sqlite_schema where type = 'table'").all()
  const isLog = ['payment', 'total'].every((table) => names.some(({ name }) => name === table))
  if (names.length > 0 && !isLog) {
    database.close()
    throw new Error(`${path} is a database of another program, not a log of payments`)
  }
  database.exec(`${SCHEMA} commit`)
}

type StoredText = { readonly id: string; readonly payload: string }

function parse({ id, payload }: StoredText): StoredPayload {
  return { id, payload: JSON.parse(payload) }
}

type Row = {
  readonly id: string
  readonly at: number
  readonly url: string
  readonly pay_to: string
  readonly amount: number
  readonly counted: number
  readonly state: Exclude<PaymentState, 'reported'>
  readonly tx: string | null
}

function toLogged({ pay_to, amount, counted, tx, ...row }: Row): LoggedPayment {
  const state = row.state === 'sent' && tx !== null ? 'reported' : row.state
  return { ...row, state, payTo: pay_to, amount: BigInt(amount), counted: BigInt(counted), transaction: tx }
}
