import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createShutdown } from './shutdown.ts'

test('resources are closed in reverse order, and one that opens during the shutdown is closed at once', async () => {
  const closed: string[] = []
  const shutdown = createShutdown()
  const open = (name: string) => shutdown.onClose(async () => void closed.push(name))
  open('state')
  open('service')
  await shutdown.close()
  open('late')
  assert.deepEqual(closed, ['service', 'state', 'late'])
})
