import assert from 'node:assert/strict'
import { importPlace, withFile } from '../../../../test/social/import-social.ts'
import { writeZip, type ZippedFile } from '../../../../test/social/write-zip.ts'
import { onSqliteState } from '../../../../test/state/every-state.ts'

const SECOND = 'Wed Feb 10 18:00:00 +0000 2021'

function manifest(types: Readonly<Record<string, readonly string[]>>): ZippedFile {
  const dataTypes = Object.entries(types).map(([type, names]) => [
    type,
    { files: names.map((name) => ({ fileName: `data/${name}.js` })) },
  ])
  const userInfo = { accountId: '7', userName: 'seven', displayName: 'Seven' }
  const config = { userInfo, dataTypes: Object.fromEntries(dataTypes) }
  return { name: 'data/manifest.js', content: `window.__THAR_CONFIG = ${JSON.stringify(config)}` }
}

function part(name: string, values: readonly unknown[]): ZippedFile {
  return { name: `data/${name}.js`, content: `window.YTD.part0 = ${JSON.stringify(values)}` }
}

const tweet = (id: string, full_text: string) => ({ tweet: { id_str: id, created_at: SECOND, full_text } })
const note = (text: string) => ({ noteTweet: { createdAt: SECOND, core: { text } } })

onSqliteState('texts of spaces, links and dots are read in linear time', async (state) => {
  const texts = [`a${' '.repeat(100_000)}b`, `${'https://t.co/a '.repeat(10_000)}!`, 'a.'.repeat(100_000)]
  // Includes incompressible data, so that the archive does not count as a zip bomb.
  const noise = Array.from({ length: 2_000 }, (_, at) => Math.sin(at).toString(36)).join(' ')
  const tweets = [...texts, noise].map((text, at) => tweet(`${at + 1}`, text))
  const files = [manifest({ tweets: ['tweets'] }), part('tweets', tweets)]
  // A regex that backtracks at every position takes hours: the runner's timeout ends the test long before.
  const { counts } = await withFile(writeZip(files), (path) => importPlace(state, path))
  assert.equal(counts.tweets, 4)
})

onSqliteState(
  'a tweet finds its note tweet regardless of the links and ellipses at its end',
  async (state) => {
    const beginning = 'The beginning of a text that goes on'
    const endings = [
      '',
      '…',
      ' …',
      '… https://t.co/a',
      'https://t.co/a',
      ' https://t.co/a  https://t.co/b ',
      ' … ',
    ]
    const files = [
      manifest({ tweets: ['tweets'], noteTweet: ['note-tweet'] }),
      part(
        'tweets',
        [...endings, ' https://t.co/a!', '… https://x.co/a'].map((ending, at) =>
          tweet(`${at + 1}`, beginning + ending),
        ),
      ),
      part('note-tweet', [note(`${beginning} and on`)]),
    ]
    await withFile(writeZip(files), (path) => importPlace(state, path))
    const rows = await state.db.selectFrom('social_tweet').select(['id', 'body']).execute()
    const long = rows.filter(({ body }) => body.includes('and on')).map(({ id }) => Number(id))
    assert.deepEqual(
      long.sort((one, other) => one - other),
      endings.map((_, at) => at + 1),
    )
  },
)

onSqliteState('any number of invalid note tweets is counted, and each is reported once', async (state) => {
  const notes = part(
    'note-tweet',
    Array.from({ length: 5_000 }, () => 1),
  )
  const files = [manifest({ noteTweet: ['note-tweet', 'note-tweet'] }), notes]
  await withFile(writeZip(files), async (path) => {
    let faults = 0
    const leave = new AbortController()
    const onFault = () => {
      faults += 1
      if (faults === 2_500) leave.abort()
    }
    await assert.rejects(importPlace(state, path, { onFault, signal: leave.signal }), { name: 'AbortError' })
    const { counts } = await importPlace(state, path)
    assert.equal(counts.skipped, 5_000)
  })
})

onSqliteState('the number of note tweets stored per second is bounded', async (state) => {
  const notes = Array.from({ length: 25 }, (_, at) =>
    note(`A long text of more than twenty signs, number ${at}`),
  )
  const files = [manifest({ noteTweet: ['note-tweet'] }), part('note-tweet', notes)]
  const { faults } = await withFile(writeZip(files), (path) => importPlace(state, path))
  assert.deepEqual([...new Set(faults)], ['data/note-tweet.js:1: note tweet: more than 20 in one second'])
  assert.equal(faults.length, 5)
})

onSqliteState('overlapping files are rejected before anything is read', async (state) => {
  const files = [
    manifest({ tweets: ['tweets', 'tweets-part1'] }),
    part('tweets', [tweet('1', 'one')]),
    part('tweets-part1', [tweet('2', 'two')]),
  ]
  const zip = writeZip(files)
  // The offset is at byte 42 of a file's entry in the central directory (APPNOTE.TXT 4.3.12), four bytes
  // before its name.
  const offsetAt = (name: string) => zip.lastIndexOf(name) - 4
  const first = zip.readUInt32LE(offsetAt('data/tweets.js'))
  for (const offset of [first, first + 5]) {
    zip.writeUInt32LE(offset, offsetAt('data/tweets-part1.js'))
    const message = /the bytes of data\/tweets(-part1)?\.js overlap another file in the zip file$/
    await withFile(zip, (path) => assert.rejects(importPlace(state, path), { message }))
  }
  assert.deepEqual(await state.db.selectFrom('social_tweet').select('id').execute(), [])
})
