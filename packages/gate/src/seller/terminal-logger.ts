import type { Logger } from '@tollbook/flow/logger'

/** Warnings and errors as JSON lines on the standard error output; of an error its name, message and stack. */
export const terminalLogger: Logger = {
  debug() {},
  info() {},
  warn: (fields, message) => write('warn', fields, message),
  error: (fields, message) => write('error', fields, message),
}

function write(level: string, fields: object, message: string): void {
  const line = { time: new Date().toISOString(), level, message, ...fields }
  process.stderr.write(
    `${JSON.stringify(line, (_, value) => (value instanceof Error ? toFields(value) : value))}\n`,
  )
}

function toFields({ name, message, stack }: Error): object {
  return { name, message, stack }
}
