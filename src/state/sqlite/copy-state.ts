import { once } from 'node:events'
import { open, rename, rm, stat } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'

/** How often it is looked how far the copy is. */
const LOOK_EVERY_MS = 250

/** What the thread is asked to copy. */
export type CopyOrder = { readonly from: string; readonly to: string }

/**
 * Copies a SQLite state, as it is at one moment, while others go on to write to it. The copy is whole, checked and
 * on disk when this resolves, and has its name only then.
 * @param onProgress told the bytes of the copy and those of the original, which may hold free pages as well.
 * @throws SQLite's own error.
 */
export async function copySqliteState(
  { from, to }: CopyOrder,
  onProgress: (done: number, total: number) => void,
): Promise<void> {
  const unfinished = `${to}.part`
  await rm(unfinished, { force: true })
  const order: CopyOrder = { from, to: unfinished }
  const total = (await stat(from)).size
  const look = async () => {
    const found = await stat(unfinished).catch(() => null)
    if (found) onProgress(found.size, total)
  }
  const timer = setInterval(() => void look(), LOOK_EVERY_MS)
  try {
    const worker = new Worker(new URL('./copy-state.worker.ts', import.meta.url), { workerData: order })
    await once(worker, 'exit')
    await sync(unfinished)
    await rename(unfinished, to)
  } finally {
    clearInterval(timer)
    await rm(unfinished, { force: true })
  }
}

/** SQLite leaves a copy to the system's cache. */
async function sync(file: string): Promise<void> {
  const handle = await open(file, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
