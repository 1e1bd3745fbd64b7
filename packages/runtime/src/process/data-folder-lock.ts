import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/**
 * Takes a folder for this process until it ends, however it ends: the lock is that of a SQLite transaction, which
 * the kernel releases. @throws Error with the process that has the folder.
 */
export function lockDataFolder(folder: string): { release(): void } {
  const database = new DatabaseSync(join(folder, 'tollbook.lock'))
  try {
    database.exec('begin immediate; create table if not exists owner (pid integer)')
    database.exec(`delete from owner; insert into owner values (${process.pid}); commit; begin immediate`)
  } catch (error) {
    const owner = readOwner(database)
    database.close()
    if (owner === null) throw error
    throw new Error(
      `Tollbook already runs here (pid ${owner}): stop it, or set another TOLLBOOK_DATA_DIR than ${folder}`,
    )
  }
  return { release: () => database.close() }
}

/** Null if no other process has written its number. */
function readOwner(database: DatabaseSync): number | null {
  try {
    const [row] = database.prepare('select pid from owner').all()
    return typeof row?.pid === 'number' ? row.pid : null
  } catch {
    return null
  }
}
