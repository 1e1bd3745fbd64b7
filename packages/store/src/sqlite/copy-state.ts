import { once } from 'node:events'
import { rename, rm, stat } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import { syncPath } from '../sync-path.ts'

const LOOK_EVERY_MS = 250

export type CopyOrder = { readonly from: string; readonly to: string }

/**
 * Copies a SQLite state as of one moment; the copy gets its name when it is checked and on disk.
 * @param onProgress called with the bytes of the copy and of the original, which may contain free pages.
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
    // SQLite leaves a copy in the system's cache.
    await syncPath(unfinished)
    await rename(unfinished, to)
  } finally {
    clearInterval(timer)
    await rm(unfinished, { force: true })
  }
}
