import type { Logger } from 'pino'
import { destination } from 'pino'
import { createLogger } from '../../catalogue/logger.ts'
import type { Config } from '../../config.ts'

/** Lines are written so many bytes at a time: a write for each is a tenth of what a quick call costs. */
const GATHERED_BYTES = 4_096
/** A line is seen at most so late. */
const LATEST_MS = 250
/** Lines of errors begin so (pino's levels 50 and 60); they are written at once, since the process may end of it. */
const ERROR = /^\{"level":[56]0/

/**
 * Opens the log of a process.
 * @param dest path of a file that is added to, or a descriptor.
 */
export function openLog(config: Config, dest: string | number = process.stderr.fd): Logger {
  const file = destination({ dest, append: true, sync: true, minLength: GATHERED_BYTES })
  // `flushSync` also waits for the disk, which would hold the event loop four times a second.
  const flush = () => file.flushSync()
  setInterval(() => file.flush(), LATEST_MS).unref()
  process.once('exit', flush)
  return createLogger(config.TOLLBOOK_LOG_LEVEL, {
    write(line) {
      file.write(line)
      if (ERROR.test(line)) flush()
    },
  })
}
