import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { loadConfig } from '../config.ts'
import { openKeystore } from './keystore.ts'

// The test vectors of the definition, with the passphrase and key that it states:
// https://github.com/ethereum/wiki/wiki/Web3-Secret-Storage-Definition#test-vectors
const PASSPHRASE = 'testpassword'
const KEY = '0x7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d'
const PBKDF2 = {
  crypto: {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: '6087dab2f9fdbbfaddc31a909735c1e6' },
    ciphertext: '5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46',
    kdf: 'pbkdf2',
    kdfparams: {
      c: 262_144,
      dklen: 32,
      prf: 'hmac-sha256',
      salt: 'ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd',
    },
    mac: '517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2',
  },
  id: '3198bc9c-6672-5ab3-d995-4942343ae5b6',
  version: 3,
}
// A key whose first byte is zero, and is left out: geth's accounts/keystore/testdata/v3_test_vector.json, 31_byte_key.
const SCRYPT = {
  crypto: {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: 'e0c41130a323adc1446fc82f724bca2f' },
    ciphertext: '9517cd5bdbe69076f9bf5057248c6c050141e970efa36ce53692d5d59a3984',
    kdf: 'scrypt',
    kdfparams: {
      dklen: 32,
      n: 2,
      r: 8,
      p: 1,
      salt: '711f816911c92d649fb4c84b047915679933555030b3552c1212609b38208c63',
    },
    mac: 'd5e116151c6aa71470e67a7d42c9620c75c4d23229847dcc127794f0732b0db5',
  },
  id: 'fecfc4ce-e956-48fd-953b-30f8b52ed66c',
  version: 3,
}
const SCRYPT_KEY = '0x00fa7b3db73dc7dfdf8c5fbdb796d741e4488628c41fc4febd9160a866ba0f35'

const folder = mkdtempSync(join(tmpdir(), 'tollbook-keystore-'))
after(() => rmSync(folder, { recursive: true }))

test('the test vectors of Web3 Secret Storage give their key', () => {
  assert.deepEqual(openKeystore(JSON.stringify(PBKDF2), PASSPHRASE), { key: KEY })
  assert.deepEqual(openKeystore(JSON.stringify(SCRYPT), 'foo'), { key: SCRYPT_KEY })
})

test('a keystore that cannot be opened is refused without its content', () => {
  const issueOf = (store: unknown, passphrase: string | undefined = PASSPHRASE) => {
    const opened = openKeystore(JSON.stringify(store), passphrase)
    return 'issue' in opened ? opened.issue : assert.fail('it was opened')
  }
  assert.equal(issueOf(PBKDF2, 'testpassword '), 'is a keystore with another passphrase')
  const changed = { ...PBKDF2.crypto, ciphertext: PBKDF2.crypto.ciphertext.replace('5318', '5319') }
  assert.equal(issueOf({ ...PBKDF2, crypto: changed }), 'is a keystore with another passphrase')
  assert.match(issueOf({ ...PBKDF2, version: 1 }), /^is no keystore of version 3/)
  assert.match(issueOf({ ...PBKDF2, crypto: { ...PBKDF2.crypto, cipher: 'none' } }), /^is no keystore/)
  const kdfparams = { ...SCRYPT.crypto.kdfparams, n: 2 ** 20, r: 64 }
  assert.match(issueOf({ ...SCRYPT, crypto: { ...SCRYPT.crypto, kdfparams } }), /needs more than 512 MB$/)
})

test('the key of the facilitator comes from a keystore and a file with its passphrase', () => {
  const [file, secret] = [join(folder, 'facilitator.json'), join(folder, 'passphrase')]
  writeFileSync(file, JSON.stringify(PBKDF2))
  writeFileSync(secret, `${PASSPHRASE}\n`)
  const settings = { TOLLBOOK_FACILITATOR_KEY_FILE: file }
  const config = loadConfig({ ...settings, TOLLBOOK_KEYSTORE_SECRET_FILE: secret })
  assert.equal(config.TOLLBOOK_FACILITATOR_KEY, KEY)
  assert.throws(() => loadConfig(settings), {
    issues: [
      'TOLLBOOK_FACILITATOR_KEY_FILE: the file is a keystore: set TOLLBOOK_KEYSTORE_SECRET to its passphrase',
    ],
  })
})
