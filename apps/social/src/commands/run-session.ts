import { UsageError } from '@tollbook/flow/usage-error'
import { type Config, loadConfig } from '@tollbook/runtime/config'
import type { SocialUser } from '../model.ts'
import { openSessionKeys } from '../open/open-social.ts'
import { endSessionsOf, type IssuedSession, issueSession } from '../session/session-store.ts'
import { findUser } from '../source/store/read-bodies.ts'
import type { State } from '../state/state.ts'

type Words = {
  readonly values: Readonly<Record<string, unknown>>
  readonly positionals: readonly string[]
}

/** `tollbook session`. @param openState for a command that ends. @returns the exit code. @throws UsageError */
export async function runSession(
  { values, positionals }: Words,
  openState: (config: Config) => Promise<State>,
): Promise<number> {
  const [username, ...surplus] = positionals
  if (!username || surplus.length > 0) throw new UsageError('session needs exactly one username')
  const config = loadConfig()
  const state = await openState(config)
  try {
    const user = await findUser(state, username.replace(/^@/, ''))
    if (!user) {
      process.stderr.write(`no user named ${username} is stored\n`)
      return 1
    }
    const now = new Date()
    if (values.revoke === true) {
      const ended = await endSessionsOf(state, user.id, now)
      return print(
        values.json === true
          ? JSON.stringify({ ended })
          : `${ended} ${ended === 1 ? 'session' : 'sessions'} of ${user.username} ended`,
      )
    }
    const keys = await openSessionKeys(config, state)
    const issued = await issueSession({ state, keys }, { userId: user.id, grant: null, now })
    return print(values.json === true ? toJson(user, issued) : toText(user, issued))
  } finally {
    await state.close()
  }
}

function toJson({ id, username }: SocialUser, { authToken, ct0, expiresAt }: IssuedSession): string {
  const fields = { username, user_id: id, auth_token: authToken, ct0, expires_at: expiresAt.toISOString() }
  return JSON.stringify(fields, null, 2)
}

function toText({ id, username }: SocialUser, { authToken, ct0, expiresAt }: IssuedSession): string {
  const rows = { user: `${username} (${id})`, auth_token: authToken, ct0, expires: expiresAt.toISOString() }
  return Object.entries(rows)
    .map(([name, value]) => `${name.padEnd(10)} ${value}`)
    .join('\n')
}

function print(text: string): number {
  process.stdout.write(`${text}\n`)
  return 0
}
