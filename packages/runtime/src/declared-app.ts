import { openService, type ServiceDeclaration } from '@tollbook/endpoints/define-service'
import type { Endpoint } from '@tollbook/endpoints/endpoint'
import type { App } from './app.ts'
import type { ExitGuard } from './process/guard-exit.ts'

/** How the services of a command are loaded. */
export type Loading = {
  /** Where the service listens if neither it nor a setting says so; default 4030. */
  readonly port?: number
  /** Keeps handlers from ending the process; default nothing does. */
  readonly guard?: ExitGuard
}

/** After the ports of Tollbook's own parts. */
export const FIRST_PORT = 4030

/** An app of a service that a module declares with `defineService`. */
export function toApp(declaration: ServiceDeclaration, loading: Loading = {}): App<unknown> {
  const { port = FIRST_PORT, guard = (work) => work } = loading
  const endpoints = declaration.endpoints.map((endpoint) => guardHandler(endpoint, guard))
  return {
    name: declaration.name,
    port: declaration.port ?? port,
    migrations: [],
    preparation: null,
    async prepare({ shutdown }) {
      const closers: (() => Promise<void> | void)[] = []
      // Before the gate is opened, so that it is closed after the last call.
      shutdown.onClose(async () => {
        for (const close of closers.splice(0).reverse()) await close()
      })
      return {
        rows: [],
        open: ({ baseUrl }) =>
          openService(
            { ...declaration, endpoints },
            { baseUrl, signal: shutdown.signal, onClose: (close) => void closers.push(close) },
          ),
      }
    },
    async readFiles() {},
    checks: async () => [],
    describe: async () => [],
    sweep: () => async () => {},
  }
}

function guardHandler(endpoint: Endpoint, guard: ExitGuard): Endpoint {
  return {
    ...endpoint,
    // It may change over time; a copy would not.
    get description() {
      return endpoint.description
    },
    handle: guard(endpoint.handle),
  }
}
