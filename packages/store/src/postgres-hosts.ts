import { DatabaseAway } from '@tollbook/flow/database-away'
import pg from 'pg'
import { listPostgresUrls } from './postgres-urls.ts'

/** Hosts of a database, of which one at a time is the primary. */
export type HostTurns = {
  readonly Client: typeof pg.Client
  /** Number of the turn in which a connection begins. */
  readonly turn: number
  /** Goes on to the next host, unless another connection of that turn did. */
  leave(turn: number): void
}

export function createHostTurns(url: string): HostTurns {
  const urls = listPostgresUrls(url)
  let turn = 0
  class Client extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super({ ...config, connectionString: urls[turn % urls.length] })
    }
  }
  return {
    Client: Client as typeof pg.Client,
    get turn() {
      return turn
    },
    leave(from) {
      if (turn === from) turn += 1
    },
  }
}

/** Prepares a new connection. @throws DatabaseAway if its server is a standby, which only reads */
export async function acceptPrimary(client: pg.ClientBase): Promise<void> {
  // The planner overestimates a search's rows, and JIT compilation takes longer than the query
  // (https://www.postgresql.org/docs/current/jit-decision.html).
  const results = (await client.query(
    'set jit = off; select pg_is_in_recovery() as "isStandby"',
  )) as unknown as readonly pg.QueryResult[]
  if (results[1]?.rows[0]?.isStandby) throw new DatabaseAway('the host of the state database is a standby')
}
