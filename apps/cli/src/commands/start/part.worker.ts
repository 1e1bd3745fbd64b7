import { runProcess } from '@tollbook/runtime/process/run-process'
import { runUntilStopped } from '@tollbook/runtime/process/shutdown'
import { useCompileCache } from '@tollbook/workers/compile-cache'
import { openParentLink, type PartName } from './parent-link.ts'

useCompileCache()

/** A process of `tollbook start`; the argument is the name of the part. */
const name = process.argv[2] as PartName
const parent = openParentLink()

await runProcess(async () => {
  const open =
    name === 'chain'
      ? (await import('./chain-part.ts')).openChainPart
      : (await import('./sellers-part.ts')).openSellersPart
  return runUntilStopped((config, shutdown) => open({ config, shutdown, parent }), parent.stopOn)
})
// The channel to the parent would keep this process running.
process.channel?.unref()
