/** A file of a multipart body. Its type is that of its part, else of its name, which decides nothing else. */
export type UploadedFile = { readonly contentType: string; readonly bytes: Uint8Array }
