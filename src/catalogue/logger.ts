import { type DestinationStream, type Logger, pino } from 'pino'

/** Headers and fields that never stand in a log, should an object that has them ever reach one. */
const SECRET_NAMES = ['payment-signature', 'sign-in-with-x', 'authorization', 'cookie', 'auth_token', 'ct0']

/** The logger of the product: JSON lines, secrets blotted out up to two levels deep. */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const paths = SECRET_NAMES.map((name) => `["${name}"]`)
  const redact = { paths: paths.flatMap((path) => [path, `*${path}`, `*.*${path}`]), censor: '[secret]' }
  return destination ? pino({ level, redact }, destination) : pino({ level, redact })
}
