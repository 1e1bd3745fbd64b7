import { UsageError } from '@tollbook/flow/usage-error'
import { loadConfig } from '@tollbook/runtime/config'
import type { SocialUser } from '@tollbook/social/model'
import { openSessionKeys } from '@tollbook/social/open/open-social'
import { endSessionsOf, type IssuedSession, issueSession } from '@tollbook/social/session/session-store'
import { findUser } from '@tollbook/social/source/store/read-bodies'
import type { Command } from './command.ts'
import { openCommandState } from './open-store.ts'

export const session: Command = {
  name: 'session',
  usage: '<username> [options]',
  examples: ['session jun_sample', 'session jun_sample --revoke'],
  notes: [
    'A session lasts 30 days. Send its values as the headers X-Auth-Token and X-Ct0, see docs/social.md.',
  ],
  exitCodes: { 1: 'no such user is stored' },
  options: {
    revoke: { type: 'boolean', help: 'end all sessions of the user instead' },
    json: { type: 'boolean', help: 'print JSON' },
  },
  async run({ values, positionals }) {
    const [username, ...surplus] = positionals
    if (!username || surplus.length > 0) throw new UsageError('session needs exactly one username')
    const config = loadConfig()
    const state = await openCommandState(config)
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
  },
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
