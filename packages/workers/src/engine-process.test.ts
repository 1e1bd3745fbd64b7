import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createEngineProcess, EngineFailed, EngineRefused } from './engine-process.ts'

const module = new URL('../../testing/src/workers/engine-children.ts', import.meta.url)
const NEVER = new AbortController().signal
const engine = createEngineProcess({ module, settings: 'all well', stopMs: 200 })
after(() => engine.close())

/** Runs an order that reports when it has begun, and whose caller then disconnects. */
async function leave(order: string): Promise<unknown> {
  const caller = new AbortController()
  const onEvent = () => caller.abort(new Error('gone'))
  return await engine.run(order, { signal: caller.signal, onEvent }).catch((error: unknown) => error)
}

test('an engine is loaded once, describes itself, and returns events and results', async () => {
  assert.equal(await engine.load(), 'all well')
  const events: unknown[] = []
  const onEvent = (event: unknown) => void events.push(event)
  const pid = await engine.run('count', { signal: NEVER, onEvent })
  assert.deepEqual(events, [1, 2, 3])
  assert.equal(await engine.run('count', { signal: NEVER }), pid)
})

test('an engine gets what it requests; a request that fails is the failure of its order', async () => {
  const onRequest = async (value: unknown) => `${value} response`
  assert.deepEqual(await engine.run('request', { signal: NEVER, onRequest }), [
    'first response',
    'second response',
  ])
  const failing = engine.run('request', { signal: NEVER, onRequest: async () => assert.fail('no response') })
  await assert.rejects(failing, { message: 'no response' })
  // A function cannot be sent.
  const unsendable = engine.run('request', { signal: NEVER, onRequest: async () => () => {} })
  await assert.rejects(unsendable, { message: '() => {} could not be cloned.' })
  assert.equal(typeof (await engine.run('count', { signal: NEVER })), 'number')
})

test('rejected orders and failures are distinguished, and the engine continues', async () => {
  const pid = await engine.run('count', { signal: NEVER })
  const refused = await engine.run('refuse', { signal: NEVER }).catch((error: unknown) => error)
  assert.ok(refused instanceof EngineRefused && refused.refusal === 'not this')
  await assert.rejects(engine.run('fail', { signal: NEVER }), { name: 'EngineFailed', message: 'it broke' })
  assert.equal(await engine.run('count', { signal: NEVER }), pid)
})

test('an order whose caller disconnects stops; if it does not stop, the process is killed and restarted', async () => {
  const pid = await engine.run('count', { signal: NEVER })
  assert.deepEqual(await leave('wait'), new Error('gone'))
  assert.equal(await engine.run('count', { signal: NEVER }), pid)
  assert.deepEqual(await leave('hang'), new Error('gone'))
  assert.notEqual(await engine.run('count', { signal: NEVER }), pid)
})

test('a crash fails the running orders only', async () => {
  const waiting = engine.run('wait', { signal: NEVER }).catch((error: unknown) => error)
  await assert.rejects(engine.run('crash', { signal: NEVER }), EngineFailed)
  assert.ok((await waiting) instanceof EngineFailed)
  assert.equal(await engine.load(), 'all well')
})

test('an engine that cannot be loaded reports why each time, without starting each time', async () => {
  const missing = createEngineProcess({ module, settings: 'no file' })
  const first = await missing.load().catch((error: unknown) => error)
  assert.ok(first instanceof EngineFailed)
  assert.equal(first.message, 'there is no file')
  assert.equal(await missing.run('count', { signal: NEVER }).catch((error: unknown) => error), first)
  const crashing = createEngineProcess({ module, settings: 'crash' })
  await assert.rejects(crashing.load(), { message: 'its process ended with SIGABRT' })
  const complaining = createEngineProcess({ module, settings: 'complain' })
  await assert.rejects(complaining.load(), { message: 'its process ended with 1: there is no room' })
})
