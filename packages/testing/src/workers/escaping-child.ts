import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'

// A parser that a hostile file has taken over: it tells its parent what it can do.
process.once(
  'message',
  async ({ secret, target, port }: { secret: string; target: string; port: number }) => {
    const dialled = once(connect({ port, host: '127.0.0.1', timeout: 5_000 }), 'connect')
    process.send?.({
      secret: attempt(() => readFileSync(secret, 'utf8')),
      written: attempt(() => {
        writeFileSync(target, 'written')
        return 'yes'
      }),
      dialled: await dialled.then(() => 'yes', codeOf),
      processes: readdirSync('/proc').filter((name) => /^\d+$/.test(name)).length,
    })
  },
)

function attempt(work: () => string): string {
  try {
    return work()
  } catch (error) {
    return codeOf(error)
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'failed'
}
