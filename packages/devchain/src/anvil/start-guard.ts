import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { FromGuard, GuardOrder, ToGuard } from './guard-messages.ts'

/** The guard process, from its parent's side. */
export type Guard = {
  readonly anvilPid: number
  /** Sends a message and waits for the reply. @throws Error if the chain has ended. */
  ask(message: ToGuard, answer: FromGuard['kind']): Promise<void>
  /** Saves the chain, stops anvil, and waits until both processes have ended. */
  close(): Promise<void>
}

const GUARD_FILE = fileURLToPath(new URL('./anvil-guard.worker.ts', import.meta.url))

/**
 * Starts anvil behind its guard and waits until it answers.
 * @throws Error with anvil's own message, or with what occupies the port.
 */
export async function startGuard(order: GuardOrder, onGone: (reason: string) => void): Promise<Guard> {
  // In its own session, so that Ctrl-C in a terminal does not reach it: the services drain first.
  const child = fork(GUARD_FILE, [JSON.stringify(order)], {
    detached: true,
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const waiting = new Map<FromGuard['kind'], PromiseWithResolvers<FromGuard>>()
  let gone: string | null = null
  const giveUp = (reason: string) => {
    if (gone !== null) return
    gone = reason
    for (const { reject } of waiting.values()) reject(new Error(reason))
    waiting.clear()
    onGone(reason)
  }
  const expect = (kind: FromGuard['kind']) => {
    if (gone !== null) return Promise.reject(new Error(gone))
    const existing = waiting.get(kind)
    if (existing) return existing.promise
    const wait = Promise.withResolvers<FromGuard>()
    waiting.set(kind, wait)
    return wait.promise
  }
  child.on('message', (message: FromGuard) => {
    if (message.kind === 'failed') return giveUp(message.reason)
    waiting.get(message.kind)?.resolve(message)
    waiting.delete(message.kind)
  })
  child.on('error', ({ message }) => giveUp(`the guard of the dev chain failed: ${message}`))
  child.once('exit', (code, signal) => giveUp(`the guard of the dev chain ended (${signal ?? code})`))

  const ready = await expect('ready')
  // A program that does not close the chain can still exit; the guard then closes it.
  child.unref()
  child.channel?.unref()
  return {
    anvilPid: ready.kind === 'ready' ? ready.anvilPid : 0,
    async ask(message, answer) {
      const answered = expect(answer)
      child.ref()
      child.channel?.ref()
      child.send(message)
      await answered
      child.unref()
      child.channel?.unref()
    },
    async close() {
      if (gone !== null) return
      gone = 'the dev chain was closed'
      child.ref()
      child.channel?.ref()
      const exited = once(child, 'exit')
      child.send({ kind: 'close' } satisfies ToGuard)
      await exited
    },
  }
}
