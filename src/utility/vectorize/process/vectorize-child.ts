import { restrictLoaders } from '../../../engines/vectorize/decode/decode-image.ts'
import { runTask } from './run-task.ts'
import type { VectorizeReply, VectorizeTask } from './task.ts'

/** The process for one image: it receives a task from its parent, replies, and exits. */
restrictLoaders()
process.once('disconnect', () => process.exit(1))
process.once('message', async (task: VectorizeTask) => {
  const reply = await runTask(task).catch(
    (error: unknown): VectorizeReply => ({ failure: String(error instanceof Error ? error.stack : error) }),
  )
  process.send?.(reply, () => process.disconnect())
})
