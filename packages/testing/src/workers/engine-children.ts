import { Refusal, serveEngine } from '@tollbook/workers/serve-engine'

/** An engine of which a test says in each order what it does. */
serveEngine(async (settings) => {
  if (settings === 'no file') throw new Error('there is no file')
  if (settings === 'crash') process.kill(process.pid, 'SIGABRT')
  if (settings === 'complain') {
    process.stderr.write('there is no room\n')
    process.exit(1)
  }
  return {
    about: settings,
    async run(order, { signal, emit, request }) {
      switch (order) {
        case 'count':
          for (const number of [1, 2, 3]) emit(number)
          return process.pid
        case 'request':
          return [await request('first'), await request('second')]
        case 'refuse':
          throw new Refusal('not this')
        case 'fail':
          throw new Error('it broke')
        case 'crash':
          return process.abort()
        case 'wait':
          emit('waiting')
          return await new Promise((_, reject) => {
            signal.addEventListener('abort', () => reject(new Error('stopped')))
          })
        case 'hang':
          emit('hanging')
          for (;;);
        default:
          throw new Error(`no order ${order}`)
      }
    },
  }
})
