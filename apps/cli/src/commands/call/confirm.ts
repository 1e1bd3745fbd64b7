import { createInterface } from 'node:readline/promises'
import { UsageError } from '@tollbook/flow/usage-error'

/** @throws UsageError if nobody can be asked. */
export function requireTerminal(hint = 'add --yes to pay'): void {
  if (!process.stdin.isTTY) throw new UsageError(`cannot ask for confirmation without a terminal: ${hint}`)
}

/** Asks the person at the terminal; anything but yes is no. */
export async function askToPay(): Promise<boolean> {
  const prompt = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return /^y(es)?$/i.test((await prompt.question('pay? [y/N] ')).trim())
  } finally {
    prompt.close()
  }
}
