import { accessSync, chmodSync, constants, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from '@tollbook/flow/config-error'
import { makeFolder } from '@tollbook/flow/make-folder'
import type { Config } from '../config.ts'
import { stateUrlOf } from '../places/state-url.ts'

/** No access for group and others: https://pubs.opengroup.org/onlinepubs/9799919799/functions/umask.html */
const PRIVATE_UMASK = 0o077

/** Hides files with keys, sessions and wallets' data from other users of the machine, new and existing. */
export function keepFilesPrivate(config: Config): void {
  process.umask(process.umask() | PRIVATE_UMASK)
  const folder = config.TOLLBOOK_DATA_DIR
  const isFolder = statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false
  // Subfolders are protected by these.
  const inside = isFolder ? readdirSync(folder).map((name) => join(folder, name)) : []
  const state = stateUrlOf(config)
  const file = state.startsWith('sqlite:') ? state.slice('sqlite:'.length) : null
  const stateFiles = file === null ? [] : ['', '-wal', '-shm'].map((end) => `${file}${end}`)
  for (const path of [folder, ...inside, ...stateFiles]) closeToOthers(path)
}

/** @throws ConfigError if this user cannot create or use it. */
export function makeDataFolder({ TOLLBOOK_DATA_DIR: folder }: Config): void {
  try {
    makeFolder(folder)
    accessSync(folder, constants.W_OK)
  } catch (error) {
    throw new ConfigError([`TOLLBOOK_DATA_DIR: ${error instanceof Error ? error.message : error}`])
  }
}

function closeToOthers(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false })
  // Owned by another user, such as a mounted volume: its modes are that user's responsibility.
  if (!found || found.uid !== process.getuid?.()) return
  const mode = found.mode & 0o777
  if (found.isFile() || found.isDirectory()) chmodSync(path, mode & ~PRIVATE_UMASK)
}
