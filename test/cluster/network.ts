import { execFileSync } from 'node:child_process'

/** A host of its own on a virtual switch. */
export type Island = {
  readonly address: string
  /** Replaces itself by the program that its arguments name, inside the namespace. */
  readonly runner: readonly [string, ...string[]]
  /** Drops every packet from and to it; neither side is told. */
  cut(): void
  heal(): void
}

export type Network = {
  /** The addresses of all islands, in CIDR notation. */
  readonly range: string
  readonly islands: readonly Island[]
  close(): void
}

/**
 * Network namespaces on one bridge, which this process reaches too; see ip-netns(8). Needs root.
 * @throws Error if the kernel or the user's rights do not allow it
 */
export function openNetwork(count: number): Network {
  const id = process.pid
  const bridge = `tbb${id}`
  const prefix = `10.77.${id % 250}`
  const made: (readonly string[])[] = []
  const close = () => {
    for (const words of made.reverse()) ip(...words)
  }
  try {
    ip('link', 'add', bridge, 'type', 'bridge')
    made.push(['link', 'del', bridge])
    ip('addr', 'add', `${prefix}.1/24`, 'dev', bridge)
    ip('link', 'set', bridge, 'up')
    const islands = Array.from({ length: count }, (_, at): Island => {
      const name = `tbn${id}x${at}`
      const link = `tbv${id}x${at}`
      const inside = ['netns', 'exec', name]
      const address = `${prefix}.${at + 10}`
      ip('netns', 'add', name)
      made.push(['netns', 'del', name])
      ip('link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name)
      ip('link', 'set', link, 'master', bridge, 'up')
      ip(...inside, 'ip', 'addr', 'add', `${address}/24`, 'dev', 'eth0')
      ip(...inside, 'ip', 'link', 'set', 'eth0', 'up')
      ip(...inside, 'ip', 'link', 'set', 'lo', 'up')
      return {
        address,
        runner: ['ip', ...inside],
        cut: () => ip('link', 'set', link, 'down'),
        heal: () => ip('link', 'set', link, 'up'),
      }
    })
    return { range: `${prefix}.0/24`, islands, close }
  } catch (error) {
    close()
    throw error
  }
}

function ip(...words: readonly string[]): void {
  execFileSync('ip', words, { stdio: ['ignore', 'ignore', 'pipe'] })
}
