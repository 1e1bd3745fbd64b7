import { ConfigError } from '@tollbook/flow/config-error'
import { explainFailure } from '@tollbook/flow/explain-failure'
import { PackageMissing } from './package-missing.ts'
import { ServiceError } from './service-error.ts'

/** Exit codes of sysexits.h. */
export const EX_SOFTWARE = 70
const EX_CONFIG = 78

/** The main function of a process: what fails is explained on standard error, and decides the exit code. */
export async function runProcess(main: () => Promise<number>): Promise<void> {
  // Ignore EPIPE: the reader of stdout may exit (`| head`) or restart. Output is lost; the service keeps running.
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
    })
  try {
    process.exitCode = await main()
  } catch (error) {
    process.stderr.write(`tollbook: ${explain(error)}\n`)
    const isConfig = [ConfigError, PackageMissing, ServiceError].some((type) => error instanceof type)
    process.exitCode = isConfig ? EX_CONFIG : EX_SOFTWARE
  }
}

/** The message for the person at the terminal; a stack only if the error is in this program. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code, cause, message } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE')
    return `${message}: stop the process that uses it, or choose another port (TOLLBOOK_<SERVICE>_PORT; proxy: --port)`
  // Of undici: before and within an answer.
  if (['fetch failed', 'terminated'].includes(message) && cause instanceof Error)
    return `the request failed: ${explainFailure(cause)}`
  const isBug = error instanceof TypeError || error instanceof ReferenceError
  return (isBug ? error.stack : undefined) ?? error.message
}
