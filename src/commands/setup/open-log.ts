import type { Logger } from 'pino'
import { destination } from 'pino'
import { createLogger } from '../../catalogue/operations/logger.ts'
import type { Config } from '../../config.ts'

/** Lines are written so many characters at a time: a write for each is a tenth of what a quick call costs. */
const GATHERED_CHARACTERS = 16_384
/** A line is seen at most so late. */
const LATEST_MS = 250
/** Lines of errors begin so (pino's levels 50 and 60); they are written at once, since the process may end of it. */
const ERROR = /^\{"level":[56]0/

/**
 * Opens the log of a process.
 * @param dest path of a file that is added to, or a descriptor.
 */
export function openLog(config: Config, dest: string | number = process.stderr.fd): Logger {
  const file = destination({ dest, append: true, sync: true })
  let gathered = ''
  function write(): void {
    const lines = gathered
    gathered = ''
    if (lines !== '') file.write(lines)
  }
  /** Waits for the disk, too. */
  function flush(): void {
    write()
    file.flushSync()
  }
  setInterval(write, LATEST_MS).unref()
  process.once('exit', flush)
  return createLogger(config.TOLLBOOK_LOG_LEVEL, {
    write(line) {
      gathered += line
      if (ERROR.test(line)) flush()
      else if (gathered.length >= GATHERED_CHARACTERS) write()
    },
  })
}
