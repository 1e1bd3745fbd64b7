import { throwAbsence } from '@tollbook/runtime/process/package-missing'
import { runProcess } from '@tollbook/runtime/process/run-process'
import { runUntilStopped } from '@tollbook/runtime/process/shutdown'
import { useCompileCache } from '@tollbook/workers/compile-cache'
import { withInstalled } from '../apps.ts'
import { openParentLink, type PartName } from './parent-link.ts'

useCompileCache()

/** A process of `tollbook start`; the argument is the name of the part. */
const name = process.argv[2] as PartName
const parent = openParentLink()

await runProcess(async () => {
  const open =
    name === 'chain'
      ? (await import('./chain-part.ts').catch(throwAbsence)).openChainPart
      : (await import('./sellers-part.ts').catch(throwAbsence)).openSellersPart
  return runUntilStopped(
    async (config, shutdown) => open({ config: await withInstalled(config), shutdown, parent }),
    parent.stopOn,
  ).catch(throwAbsence)
})
// The channel to the parent would keep this process running.
process.channel?.unref()
