// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

import { IContractWallet } from "./SignatureCheck.sol";
import { ISignatureTransfer, IToken } from "./SignatureTransfer.sol";

/// @title Permit2's transfer by signature with a witness (0x000000000022D473030F116dDEE9F6B43aC78BA3).
/// @notice Domain, nonces, errors and their order are those of Permit2. Left out: AllowanceTransfer,
///   batches, and transfers without a witness, none of which x402 uses.
/// @dev No constructor and no immutables, so the runtime code works at whatever address it is put.
contract DevPermit2 is ISignatureTransfer {
  bytes32 private constant DOMAIN_TYPEHASH =
    keccak256("EIP712Domain(string name,uint256 chainId,address verifyingContract)");
  bytes32 private constant TOKEN_PERMISSIONS_TYPEHASH = keccak256("TokenPermissions(address token,uint256 amount)");
  string private constant PERMIT_TYPE_STUB =
    "PermitWitnessTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline,";

  /// @notice Used nonces: bit `nonce & 255` of word `nonce >> 8`.
  mapping(address => mapping(uint256 => uint256)) public nonceBitmap;

  event UnorderedNonceInvalidation(address indexed owner, uint256 word, uint256 mask);

  error InvalidAmount(uint256 maxAmount);
  error InvalidContractSignature();
  error InvalidNonce();
  error InvalidSignature();
  error InvalidSignatureLength();
  error InvalidSigner();
  error SignatureExpired(uint256 signatureDeadline);

  /// @notice Lets an owner cancel permits that were not used yet.
  function invalidateUnorderedNonces(uint256 wordPos, uint256 mask) external {
    nonceBitmap[msg.sender][wordPos] |= mask;
    emit UnorderedNonceInvalidation(msg.sender, wordPos, mask);
  }

  function permitWitnessTransferFrom(
    PermitTransferFrom calldata permit,
    SignatureTransferDetails calldata transferDetails,
    address owner,
    bytes32 witness,
    string calldata witnessTypeString,
    bytes calldata signature
  ) external {
    if (block.timestamp > permit.deadline) revert SignatureExpired(permit.deadline);
    if (transferDetails.requestedAmount > permit.permitted.amount) revert InvalidAmount(permit.permitted.amount);
    useNonce(owner, permit.nonce);
    requireSignature(owner, toDigest(permit, witness, witnessTypeString), signature);
    // Permit2 reverts with this text when the token refuses.
    require(
      IToken(permit.permitted.token).transferFrom(owner, transferDetails.to, transferDetails.requestedAmount),
      "TRANSFER_FROM_FAILED"
    );
  }

  function DOMAIN_SEPARATOR() public view returns (bytes32) {
    return keccak256(abi.encode(DOMAIN_TYPEHASH, keccak256("Permit2"), block.chainid, address(this)));
  }

  function useNonce(address owner, uint256 nonce) private {
    uint256 bit = 1 << uint8(nonce);
    uint256 word = nonce >> 8;
    if (nonceBitmap[owner][word] & bit != 0) revert InvalidNonce();
    nonceBitmap[owner][word] |= bit;
  }

  function toDigest(PermitTransferFrom calldata permit, bytes32 witness, string calldata witnessTypeString)
    private view returns (bytes32)
  {
    bytes32 typehash = keccak256(abi.encodePacked(PERMIT_TYPE_STUB, witnessTypeString));
    bytes32 permitted = keccak256(
      abi.encode(TOKEN_PERMISSIONS_TYPEHASH, permit.permitted.token, permit.permitted.amount)
    );
    bytes32 what = keccak256(abi.encode(typehash, permitted, msg.sender, permit.nonce, permit.deadline, witness));
    return keccak256(abi.encodePacked(hex"1901", DOMAIN_SEPARATOR(), what));
  }

  /// @dev As Permit2, this takes 65 bytes and the 64 of EIP-2098, and does not mind a high s.
  function requireSignature(address owner, bytes32 digest, bytes calldata signature) private view {
    if (owner.code.length > 0) {
      bytes4 answer = IContractWallet(owner).isValidSignature(digest, signature);
      if (answer != IContractWallet.isValidSignature.selector) revert InvalidContractSignature();
      return;
    }
    bytes32 s;
    uint8 v;
    if (signature.length == 65) {
      s = bytes32(signature[32:64]);
      v = uint8(signature[64]);
    } else if (signature.length == 64) {
      uint256 parityAndS = uint256(bytes32(signature[32:64]));
      s = bytes32((parityAndS << 1) >> 1);
      v = uint8(parityAndS >> 255) + 27;
    } else {
      revert InvalidSignatureLength();
    }
    address signer = ecrecover(digest, v, bytes32(signature[0:32]), s);
    if (signer == address(0)) revert InvalidSignature();
    if (signer != owner) revert InvalidSigner();
  }
}
