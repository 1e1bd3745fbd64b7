const METHODS = ['log', 'info', 'warn', 'error', 'debug'] as const

/** Runs synchronous work of a library that writes about pages of strangers to the console, and shows none of it. */
export function withSilentConsole<Result>(work: () => Result): Result {
  const { console } = globalThis
  const spoken = METHODS.map((name) => [name, console[name]] as const)
  for (const name of METHODS) console[name] = () => undefined
  try {
    return work()
  } finally {
    for (const [name, method] of spoken) console[name] = method
  }
}
