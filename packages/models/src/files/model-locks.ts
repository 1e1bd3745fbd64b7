import { existsSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makeFolder } from '@tollbook/flow/make-folder'

export type Lock = { close(): void }

// A lock is that of an empty SQLite file: the system releases it when the process ends, in whatever way
// (https://www.sqlite.org/lockingv3.html).

/** https://www.sqlite.org/rescode.html#busy */
const SQLITE_BUSY = 5

const lockOf = (file: string) => `${file}.lock`

/** Locks a file; null if another process, or another lock of this one, holds it. */
export function lockFile(file: string): Lock | null {
  makeFolder(dirname(file))
  return take(file, 'begin exclusive')
}

export function deleteLocked(file: string, lock: Lock): void {
  rmSync(file, { force: true })
  lock.close()
  rmSync(lockOf(file), { force: true })
}

/** Keeps an installed model from being deleted by other processes until this one ends. */
export function holdModelFile(file: string): void {
  if (!existsSync(lockOf(file))) return
  // A read transaction is a shared lock. If it is not to be had, the file is about to be deleted.
  const lock = take(file, 'begin; select count(*) from sqlite_master')
  // The listener keeps the connection from garbage collection, which would end the lock.
  if (lock) process.once('exit', () => lock.close())
}

function take(file: string, statements: string): Lock | null {
  const database = new DatabaseSync(lockOf(file), { timeout: 0 })
  try {
    database.exec(statements)
    return database
  } catch (error) {
    database.close()
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) return null
    throw error
  }
}
