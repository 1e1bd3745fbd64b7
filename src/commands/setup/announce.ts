/** Prints the addresses of a process to standard output, line by line, and that it is ready. */
export function announce(rows: readonly (readonly [name: string, value: string])[]): void {
  const lines = rows.map(([name, value]) => `${name.padEnd(12)} ${value}`)
  process.stdout.write(`\n${lines.join('\n')}\nready\n`)
}
