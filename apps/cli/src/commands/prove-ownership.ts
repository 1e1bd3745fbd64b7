import { createKeySigner, type KeySigner, signMessage } from '@tollbook/chain/key-signer'
import { ConfigError } from '@tollbook/flow/config-error'
import { listPaidHosts, readOwnershipProofs } from '@tollbook/runtime/chain/ownership'
import { loadConfig } from '@tollbook/runtime/config'
import { withInstalled } from './apps.ts'
import type { Command } from './command.ts'

export const proveOwnership: Command = {
  name: 'prove-ownership',
  usage: '',
  examples: ['prove-ownership'],
  notes: [
    'Sign each text without a line break (EIP-191, personal_sign of any wallet), or set TOLLBOOK_OWNERSHIP_KEY_FILE to',
    'the file with the key of a payee wallet. The signatures go to TOLLBOOK_OWNERSHIP_PROOFS of the services, which show',
    'them in openapi.json and /.well-known/x402. x402scan accepts only wallets with a key, not those with code.',
  ],
  exitCodes: { 1: 'a proof is missing' },
  options: {},
  async run() {
    const config = await withInstalled(loadConfig())
    const hosts = await listPaidHosts(config)
    if (hosts.length === 0) throw new Error('no payee wallet is set, such as TOLLBOOK_UTILITY_PAY_TO')
    const proofs = await readOwnershipProofs(config, hosts)
    const key = config.TOLLBOOK_OWNERSHIP_KEY
    const account = key === undefined ? null : toSigner(key)
    const signer = account?.address
    if (account && !hosts.some(({ payTo }) => payTo === signer))
      throw new Error(`TOLLBOOK_OWNERSHIP_KEY is the key of ${signer}, which no service pays`)
    const found = await Promise.all(
      hosts.map(async ({ origin, payTo }) => {
        const [stored] = proofs.get(origin) ?? []
        return stored ?? (account && payTo === signer ? signMessage(account, origin) : null)
      }),
    )
    const lines = hosts.map(({ service, origin, payTo }, at) =>
      [`${service}: ${payTo} signs`, `  ${origin}`, `  ${found[at] ?? 'no signature yet'}`].join('\n'),
    )
    const known = found.filter((proof) => proof !== null)
    const setting = known.length > 0 ? [`\nTOLLBOOK_OWNERSHIP_PROOFS=${known.join(',')}`] : []
    process.stdout.write(`${[...lines, ...setting].join('\n')}\n`)
    return known.length === hosts.length ? 0 : 1
  },
}

function toSigner(key: string): KeySigner {
  try {
    return createKeySigner(key as `0x${string}`)
  } catch {
    // The cause's message contains the key.
    throw new ConfigError(['TOLLBOOK_OWNERSHIP_KEY: must be a private key of secp256k1'])
  }
}
