import { basename } from 'node:path'
import type { FileSource } from '../../fetching/download-file.ts'
import type { ModelKind } from '../setup/installed-models.ts'
import { TRANSLATION_MODELS } from './translation-models.ts'

/** A model that `tollbook models add` can install. */
export type CatalogueModel = {
  readonly name: string
  readonly kind: ModelKind
  readonly title: string
  /** SPDX identifier of the licence of the file. */
  readonly licence: string
  /** Its main file first. */
  readonly files: readonly [FileSource, ...FileSource[]]
}

const QWEN = 'https://huggingface.co/Qwen'
const WHISPER =
  'https://huggingface.co/ggerganov/whisper.cpp/resolve/5359861c739e955e79d9a303bcbc70fb988958b1'

/** From the publishers' repositories, at fixed revisions (docs/decisions/0051-a-catalogue-of-models.md). */
export const CATALOGUE: readonly CatalogueModel[] = [
  {
    name: 'qwen2.5-0.5b-instruct',
    kind: 'chat',
    title: 'Qwen2.5 0.5B Instruct, 4 bits',
    licence: 'Apache-2.0',
    files: [
      {
        url: `${QWEN}/Qwen2.5-0.5B-Instruct-GGUF/resolve/9217f5db79a29953eb74d5343926648285ec7e67/qwen2.5-0.5b-instruct-q4_k_m.gguf`,
        sizeBytes: 491_400_032,
        sha256: '74a4da8c9fdbcd15bd1f6d01d621410d31c6fc00986f5eb687824e7b93d7a9db',
      },
    ],
  },
  {
    name: 'qwen2.5-1.5b-instruct',
    kind: 'chat',
    title: 'Qwen2.5 1.5B Instruct, 4 bits',
    licence: 'Apache-2.0',
    files: [
      {
        url: `${QWEN}/Qwen2.5-1.5B-Instruct-GGUF/resolve/91cad51170dc346986eccefdc2dd33a9da36ead9/qwen2.5-1.5b-instruct-q4_k_m.gguf`,
        sizeBytes: 1_117_320_736,
        sha256: '6a1a2eb6d15622bf3c96857206351ba97e1af16c30d7a74ee38970e434e9407e',
      },
    ],
  },
  {
    name: 'nomic-embed-text-v1.5',
    kind: 'embeddings',
    title: 'Nomic Embed Text 1.5, English, 768 dimensions, 8 bits',
    licence: 'Apache-2.0',
    files: [
      {
        url: 'https://huggingface.co/nomic-ai/nomic-embed-text-v1.5-GGUF/resolve/0188c9bf409793f810680a5a431e7b899c46104c/nomic-embed-text-v1.5.Q8_0.gguf',
        sizeBytes: 146_146_432,
        sha256: '3e24342164b3d94991ba9692fdc0dd08e3fd7362e0aacc396a9a5c54a544c3b7',
      },
    ],
  },
  {
    name: 'whisper-base',
    kind: 'transcription',
    title: 'Whisper base, 99 languages',
    licence: 'MIT',
    files: [
      {
        url: `${WHISPER}/ggml-base.bin`,
        sizeBytes: 147_951_465,
        sha256: '60ed5bc3dd14eea856493d334349b405782ddcaf0028d4b5df4088345fba2efe',
      },
    ],
  },
  {
    name: 'whisper-small',
    kind: 'transcription',
    title: 'Whisper small, 99 languages',
    licence: 'MIT',
    files: [
      {
        url: `${WHISPER}/ggml-small.bin`,
        sizeBytes: 487_601_967,
        sha256: '1be3a9b2063867b937e64e2ec7483364a79917e157fa98c5d94b5c1fffea987b',
      },
    ],
  },
  ...TRANSLATION_MODELS,
]

/** The name of a file in the folder of models. */
export function fileNameOf({ url }: FileSource): string {
  return basename(new URL(url).pathname)
}

/** The size of all files of a model. */
export function sizeOfModel({ files }: CatalogueModel): number {
  return files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
}

/** Rounded, as sizes are shown. */
export function toMegabytes(bytes: number): number {
  return Math.round(bytes / 1e6)
}
