import { createHash } from 'node:crypto'
import { PermanentError } from '../../../fetching/failure.ts'
import { isRecord } from '../../../fetching/is-record.ts'
import { fingerprintFile } from '../fingerprint-file.ts'
import type { ImportItem, ImportPlace, ImportSource } from '../import-source.ts'
import { addObject } from '../imported-objects.ts'
import { readJson } from '../json/read-json.ts'
import { type ArchiveFile, type ArchiveFiles, openFolderFiles, openZipFiles } from './archive-files.ts'
import { type ArchivePlan, planArchive } from './data-types.ts'
import { type Manifest, readManifest } from './manifest.ts'
import { createNoteTweets, type NoteTweets } from './note-tweets.ts'
import { readPartValue } from './read-part.ts'

/** Values of the files that describe the owner, each a single wrapped object. */
type OwnerValues = { readonly account: unknown; readonly profile: unknown; readonly verified: unknown }

/** A note tweet has at most 25,000 characters, plus entities. */
const MAX_VALUE_BYTES = 4 * 1024 * 1024
/** Note tweets are stored apart from their tweets and held in memory until those are read. */
const MAX_NOTE_BYTES = 256 * 1024 * 1024
const MANIFEST = 'data/manifest.js'
const OWNER = 'owner'

/** The zip file in which X delivers the data of an account. */
export async function openArchiveZip(path: string): Promise<ImportSource> {
  const { fingerprint } = await fingerprintFile(path)
  return openArchive(await openZipFiles(path), () => fingerprint)
}

/** The same archive, unpacked. */
export async function openArchiveFolder(path: string): Promise<ImportSource> {
  return openArchive(openFolderFiles(path), (manifest, files) =>
    createHash('sha256')
      .update(JSON.stringify([manifest, files.map(({ name, storedBytes }) => [name, storedBytes])]))
      .digest('hex'),
  )
}

type Archive = { readonly files: ArchiveFiles; readonly manifest: Manifest; readonly plan: ArchivePlan }

async function openArchive(
  files: ArchiveFiles,
  fingerprintOf: (manifest: Manifest, parts: readonly ArchiveFile[]) => string,
): Promise<ImportSource> {
  try {
    const manifest = await readManifest(await findFile(files, MANIFEST))
    const plan = planArchive(manifest)
    const parts = await Promise.all(plan.parts.map(({ name }) => findFile(files, name)))
    return {
      name: files.path,
      fingerprint: fingerprintOf(manifest, parts),
      sizeBytes: parts.reduce((sum, { storedBytes }) => sum + storedBytes, 0),
      skippedTypes: plan.skippedTypes,
      read: (from, onBytes) => readArchive({ files, manifest, plan }, from, onBytes),
      close: () => files.close(),
    }
  } catch (error) {
    await files.close()
    if (!(error instanceof PermanentError)) throw error
    throw new PermanentError(`${files.path}: ${error.message}`, { cause: error })
  }
}

async function findFile(files: ArchiveFiles, name: string): Promise<ArchiveFile> {
  const file = await files.find(name)
  if (!file) throw new PermanentError(`${name} is missing`)
  return file
}

async function* readArchive(
  { files, manifest, plan }: Archive,
  from: ImportPlace | null,
  onBytes: (bytes: number) => void,
): AsyncGenerator<ImportItem> {
  const { account, profile, verified, noteTweet } = plan.before
  const owner = toOwner(manifest, {
    account: await readFirst(files, account),
    profile: await readFirst(files, profile),
    verified: await readFirst(files, verified),
  })
  if (from === null)
    yield {
      place: { part: OWNER, items: 1 },
      line: 1,
      readInto: (objects) => addObject(objects, 'users', owner),
    }
  const notes = createNoteTweets()
  yield* readNotes({ files, names: noteTweet, notes }, from)
  const archive = { ownerId: manifest.userInfo.accountId, notes }
  const begun = plan.parts.findIndex(({ name }) => name === from?.part)
  for (const [at, { kind, name }] of plan.parts.entries()) {
    if (at < begun) continue
    const file = await findFile(files, name)
    const skip = at === begun ? (from?.items ?? 0) : 0
    for await (const { value, line, number } of readValues(file, skip))
      yield {
        place: { part: name, items: number },
        line,
        readInto: (objects) => readPartValue(kind, value, archive, objects),
      }
    onBytes(file.storedBytes)
  }
}

/** Adds all note tweets and yields those with issues; issues before `from` were already reported. */
async function* readNotes(
  provided: { readonly files: ArchiveFiles; readonly names: readonly string[]; readonly notes: NoteTweets },
  from: ImportPlace | null,
): AsyncGenerator<ImportItem> {
  const { files, names, notes } = provided
  const isFromStart = from === null || from.part === OWNER
  const begun = isFromStart ? 0 : names.indexOf(from.part)
  const reported = isFromStart ? 0 : from.items
  let leftBytes = MAX_NOTE_BYTES
  const onBytes = (bytes: number) => {
    leftBytes -= bytes
    if (leftBytes < 0) throw new PermanentError(`note tweets have more than ${MAX_NOTE_BYTES} bytes`)
  }
  for (const [at, name] of names.entries())
    for await (const { value, line, number } of readValues(await findFile(files, name), 0, onBytes)) {
      const fault = notes.add(value)
      const isReported = begun < 0 || at < begun || (at === begun && number <= reported)
      if (fault === null || isReported) continue
      yield {
        place: { part: name, items: number },
        line,
        readInto: (objects) => void objects.faults.push(fault),
      }
    }
}

/** The only value of a file; null if there is no such file or it is empty. */
async function readFirst(files: ArchiveFiles, [name]: readonly string[]): Promise<unknown> {
  if (name === undefined) return null
  for await (const { value } of readValues(await findFile(files, name), 0)) return value
  return null
}

/** @throws PermanentError that names the file. */
async function* readValues(file: ArchiveFile, skip: number, onBytes?: (bytes: number) => void) {
  try {
    const reading = { layout: 'assigned array', maxBytes: MAX_VALUE_BYTES, skip, onBytes } as const
    yield* readJson(await file.open(), reading)
  } catch (error) {
    if (!(error instanceof PermanentError)) throw error
    throw new PermanentError(`${file.name}: ${error.message}`, { cause: error })
  }
}

/** The owner as a user; the account's e-mail address is not imported. */
function toOwner({ userInfo }: Manifest, values: OwnerValues): Readonly<Record<string, unknown>> {
  const account = unwrap(values.account, 'account')
  const profile = unwrap(values.profile, 'profile')
  const verified = unwrap(values.verified, 'verified')
  const { bio, website, location } = unwrap(profile, 'description')
  const createdMs = Date.parse(String(account.createdAt))
  return {
    id: userInfo.accountId,
    name: userInfo.displayName,
    username: userInfo.userName,
    ...(!Number.isNaN(createdMs) && { created_at: new Date(createdMs).toISOString() }),
    ...(isText(bio) && { description: bio }),
    ...(isText(location) && { location }),
    ...(isText(website) && { url: website }),
    ...(isText(profile.avatarMediaUrl) && { profile_image_url: profile.avatarMediaUrl }),
    ...(isText(profile.headerMediaUrl) && { profile_banner_url: profile.headerMediaUrl }),
    ...(typeof verified.verified === 'boolean' && { verified: verified.verified }),
  }
}

function unwrap(value: unknown, name: string): Readonly<Record<string, unknown>> {
  const inner = isRecord(value) ? value[name] : undefined
  return isRecord(inner) ? inner : {}
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
