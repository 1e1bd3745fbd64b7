import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { openWriteConnection, type PreparedStatement, prepareStatement, runStatement } from './connection.ts'
import { CONTROL, type WriteFailure, type WriteOutcome, type WriteRequest } from './messages.ts'

/** A pending step: a statement, or a control step without parameters. */
type Step = { readonly statement: number; readonly parameters: readonly unknown[] | null }

if (!parentPort) throw new Error('this file must run as a worker thread')
const port = parentPort

const database = openWriteConnection(String(workerData))
port.postMessage('open')

let texts = new Map<number, string>()
/** For statements whose commits may be flushed later. */
let lazy = new Set<number>()
let isSynced = true
let statements = new Map<number, PreparedStatement>()
let isInTransaction = false

port.on('message', (first: WriteRequest) => {
  const requests = [first]
  // Requests that arrived during the last commit join this group.
  for (let more = receiveMessageOnPort(port); more; more = receiveMessageOnPort(port))
    requests.push(more.message)
  const group: Step[] = []
  for (const request of requests) {
    if (request.forget) {
      // Earlier numbers become invalid, so pending uses run first.
      port.postMessage(runGroup(group.splice(0)))
      texts = new Map()
      lazy = new Set()
      statements = new Map()
    }
    for (const [number, text, isLazy] of request.texts) {
      texts.set(number, text)
      if (isLazy) lazy.add(number)
    }
    for (let at = 0; at < request.steps.length; at += 2) {
      const step = { statement: request.steps[at], parameters: request.steps[at + 1] } as Step
      if (step.parameters && !isInTransaction) group.push(step)
      else {
        if (group.length > 0) port.postMessage(runGroup(group.splice(0)))
        port.postMessage([step.parameters ? runStep(step) : runControl(step.statement)])
      }
    }
    if (request.close) {
      if (group.length > 0) port.postMessage(runGroup(group.splice(0)))
      database.close()
      port.close()
      return
    }
  }
  if (group.length > 0) port.postMessage(runGroup(group))
})

/** Commits many statements with one fsync, or none if all are lazy; one may fail alone. */
function runGroup(group: readonly Step[]): readonly WriteOutcome[] {
  try {
    useSync(group.some(({ statement }) => !lazy.has(statement)))
    database.exec('begin immediate')
    const outcomes = group.map(runStep)
    database.exec('commit')
    return outcomes
  } catch (error) {
    if (database.isTransaction) database.exec('rollback')
    const failure = toFailure(error)
    return group.map(() => ({ failure }))
  }
}

/**
 * A failing statement reverts only itself (https://sqlite.org/lang_conflict.html, ABORT), but a full disk
 * makes SQLite roll back the whole transaction; then no statement may run on its own.
 */
function runStep(step: Step): WriteOutcome {
  try {
    if (!database.isTransaction) throw new Error('the transaction was rolled back')
    return runStatement(prepare(step.statement), step.parameters ?? [])
  } catch (error) {
    return { failure: toFailure(error) }
  }
}

/**
 * With `normal` the log is written but not flushed; the next commit with `full` flushes all of it, in commit
 * order (https://sqlite.org/pragma.html#pragma_synchronous). The mode changes only between transactions.
 */
function useSync(isWanted: boolean): void {
  if (isWanted === isSynced) return
  database.exec(`pragma synchronous = ${isWanted ? 'full' : 'normal'}`)
  isSynced = isWanted
}

function runControl(control: number): WriteOutcome {
  try {
    isInTransaction = false
    if (control === CONTROL.begin) useSync(true)
    if (control === CONTROL.commit) database.exec('commit')
    else if (control === CONTROL.begin) database.exec('begin immediate')
    else if (database.isTransaction) database.exec('rollback')
    isInTransaction = control === CONTROL.begin
    return 0
  } catch (error) {
    if (database.isTransaction) database.exec('rollback')
    return { failure: toFailure(error) }
  }
}

function prepare(number: number): PreparedStatement {
  const known = statements.get(number)
  if (known) return known
  const prepared = prepareStatement(database, texts.get(number) ?? '')
  statements.set(number, prepared)
  return prepared
}

function toFailure(error: unknown): WriteFailure {
  if (!(error instanceof Error)) return { message: String(error), code: 'ERR_UNKNOWN', errcode: 0 }
  const { code, errcode } = error as { code?: unknown; errcode?: unknown }
  return { message: error.message, code: String(code ?? error.name), errcode: Number(errcode ?? 0) }
}
