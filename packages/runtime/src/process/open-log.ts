import { createLogger } from '@tollbook/http/operations/logger'
import type { Logger } from 'pino'
import { destination } from 'pino'
import type { Config } from '../config.ts'
import { endOnUncaught } from './crash-guard.ts'

/** Size of the write buffer in characters: unbuffered writes take a tenth of the time of a fast call. */
const GATHERED_CHARACTERS = 16_384
const LATEST_MS = 250
/** Prefix of error lines (pino's levels 50 and 60); they are written at once, since the process may exit. */
const ERROR = /^\{"level":[56]0/

/**
 * Opens the log of a process; `dest` is a file to append to, or a file descriptor. The last line of a process that
 * an uncaught error ends is that error.
 */
export function openLog(config: Config, dest: string | number = process.stderr.fd): Logger {
  const file = destination({ dest, append: true, sync: true })
  let gathered = ''
  function write(): void {
    const lines = gathered
    gathered = ''
    if (lines !== '') file.write(lines)
  }
  /** Also waits for fsync. */
  function flush(): void {
    write()
    file.flushSync()
  }
  setInterval(write, LATEST_MS).unref()
  process.once('exit', flush)
  const logger = createLogger(config.TOLLBOOK_LOG_LEVEL, {
    write(line) {
      gathered += line
      if (ERROR.test(line)) flush()
      else if (gathered.length >= GATHERED_CHARACTERS) write()
    },
  })
  endOnUncaught(logger, dest !== process.stderr.fd || !logger.isLevelEnabled('fatal'))
  return logger
}
