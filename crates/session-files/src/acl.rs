//! Access lists of Windows: what is made here is its user's alone, as mode 0700 and 0600 have it elsewhere.
//!
//! A list is protected: it takes nothing from the directory above, which may let everybody read. System and
//! administrators are in it, as root is everywhere. The crates with a safe interface are years without a
//! release, so the calls are those of `windows-sys`.

use std::fs::File;
use std::io;
use std::os::windows::ffi::OsStrExt;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::path::Path;
use std::ptr::{null, null_mut};
use windows_sys::Win32::Foundation::{
    CloseHandle, ERROR_SUCCESS, HANDLE, INVALID_HANDLE_VALUE, LocalFree,
};
use windows_sys::Win32::Security::Authorization::{
    ConvertSidToStringSidW, ConvertStringSecurityDescriptorToSecurityDescriptorW,
    GetNamedSecurityInfoW, SDDL_REVISION_1, SE_FILE_OBJECT, SetSecurityInfo,
};
use windows_sys::Win32::Security::{
    ACL, DACL_SECURITY_INFORMATION, GetSecurityDescriptorControl, GetTokenInformation,
    PROTECTED_DACL_SECURITY_INFORMATION, PSECURITY_DESCRIPTOR, SE_DACL_PROTECTED,
    SECURITY_ATTRIBUTES, TOKEN_QUERY, TOKEN_USER, TokenUser, UNPROTECTED_DACL_SECURITY_INFORMATION,
};
use windows_sys::Win32::Storage::FileSystem::{
    CreateDirectoryW, CreateFileW, FILE_ATTRIBUTE_NORMAL, FILE_SHARE_DELETE, FILE_SHARE_READ,
    FILE_SHARE_WRITE,
};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, OpenProcessToken};

/// Bytes of a token's user: the structure and the longest SID.
const TOKEN_USER_BYTES: usize = 256;

/// Makes one directory that this user alone can enter; what is made in it inherits that.
pub(crate) fn create_directory(path: &Path) -> io::Result<()> {
    let descriptor = Descriptor::for_current_user()?;
    let attributes = descriptor.attributes();
    // SAFETY: the path ends with a zero, and the attributes point to a descriptor that lives.
    let made = unsafe { CreateDirectoryW(wide(path).as_ptr(), &raw const attributes) };
    check(made)
}

/// Opens a file, as `CreateFileW` does, and makes it readable for this user alone where it is missing.
pub(crate) fn create_file(path: &Path, access: u32, disposition: u32) -> io::Result<File> {
    let descriptor = Descriptor::for_current_user()?;
    let attributes = descriptor.attributes();
    // SAFETY: as above; no template is given.
    let handle = unsafe {
        CreateFileW(
            wide(path).as_ptr(),
            access,
            FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
            &raw const attributes,
            disposition,
            FILE_ATTRIBUTE_NORMAL,
            null_mut(),
        )
    };
    if handle == INVALID_HANDLE_VALUE {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the handle is open, and nobody else has it.
    Ok(unsafe { OwnedHandle::from_raw_handle(handle) }.into())
}

/// Gives a file the access list of the one that it is to replace. Its handle has the right `WRITE_DAC`.
pub(crate) fn copy_list(from: &Path, to: &File) -> io::Result<()> {
    let mut list: *mut ACL = null_mut();
    let mut descriptor = Descriptor(null_mut());
    // SAFETY: the path ends with a zero; the system fills both pointers, the list's into the descriptor.
    let found = unsafe {
        GetNamedSecurityInfoW(
            wide(from).as_ptr(),
            SE_FILE_OBJECT,
            DACL_SECURITY_INFORMATION,
            null_mut(),
            null_mut(),
            &raw mut list,
            null_mut(),
            &raw mut descriptor.0,
        )
    };
    check_code(found)?;
    let inheritance = if descriptor.is_protected()? {
        PROTECTED_DACL_SECURITY_INFORMATION
    } else {
        UNPROTECTED_DACL_SECURITY_INFORMATION
    };
    // SAFETY: the handle is open, and the list lives in the descriptor.
    check_code(unsafe {
        SetSecurityInfo(
            to.as_raw_handle(),
            SE_FILE_OBJECT,
            DACL_SECURITY_INFORMATION | inheritance,
            null_mut(),
            null_mut(),
            list,
            null(),
        )
    })
}

/// A security descriptor that the system allocated.
struct Descriptor(PSECURITY_DESCRIPTOR);

impl Descriptor {
    /// Makes a descriptor that gives full access to this user, the system and administrators, and to nobody else.
    fn for_current_user() -> io::Result<Self> {
        let user = user_sid()?;
        let text = format!("D:P(A;OICI;FA;;;{user})(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)");
        let text: Vec<u16> = text.encode_utf16().chain([0]).collect();
        let mut descriptor = Self(null_mut());
        // SAFETY: the text ends with a zero; the system fills the pointer.
        check(unsafe {
            ConvertStringSecurityDescriptorToSecurityDescriptorW(
                text.as_ptr(),
                SDDL_REVISION_1,
                &raw mut descriptor.0,
                null_mut(),
            )
        })?;
        Ok(descriptor)
    }

    fn attributes(&self) -> SECURITY_ATTRIBUTES {
        SECURITY_ATTRIBUTES {
            nLength: size_of::<SECURITY_ATTRIBUTES>() as u32,
            lpSecurityDescriptor: self.0,
            bInheritHandle: 0,
        }
    }

    /// Returns true if the list takes nothing from the directory above.
    fn is_protected(&self) -> io::Result<bool> {
        let (mut control, mut revision) = (0, 0);
        // SAFETY: the descriptor is the system's, and both numbers live.
        check(unsafe {
            GetSecurityDescriptorControl(self.0, &raw mut control, &raw mut revision)
        })?;
        Ok(control & SE_DACL_PROTECTED != 0)
    }
}

impl Drop for Descriptor {
    fn drop(&mut self) {
        // SAFETY: allocated by the system with `LocalAlloc`, or null.
        unsafe { LocalFree(self.0) };
    }
}

/// Returns this process's user, as `S-1-5-…`.
fn user_sid() -> io::Result<String> {
    let mut token: HANDLE = null_mut();
    // SAFETY: the process's own pseudo-handle needs no closing; the system fills the token.
    check(unsafe { OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &raw mut token) })?;
    let mut user = [0u64; TOKEN_USER_BYTES / 8]; // aligned as the structure is
    let mut length = 0;
    // SAFETY: the buffer has the length that is passed, and the token is open until here.
    let found = check(unsafe {
        let buffer = user.as_mut_ptr().cast();
        GetTokenInformation(
            token,
            TokenUser,
            buffer,
            size_of_val(&user) as u32,
            &raw mut length,
        )
    });
    // SAFETY: opened above.
    unsafe { CloseHandle(token) };
    found?;
    let mut text = null_mut();
    // SAFETY: the buffer holds a `TOKEN_USER`, whose SID lies in it; the system fills the pointer.
    check(unsafe {
        let user: *const TOKEN_USER = user.as_ptr().cast();
        ConvertSidToStringSidW((*user).User.Sid, &raw mut text)
    })?;
    // SAFETY: the system's own text.
    Ok(unsafe { take_text(text) })
}

/// Copies and frees a text of the system.
///
/// # Safety
/// It ends with a zero and was allocated with `LocalAlloc`.
unsafe fn take_text(text: *mut u16) -> String {
    // SAFETY: the caller guarantees it.
    unsafe {
        let length = (0..).take_while(|&at| *text.add(at) != 0).count();
        let copy = String::from_utf16_lossy(std::slice::from_raw_parts(text, length));
        LocalFree(text.cast());
        copy
    }
}

fn wide(path: &Path) -> Vec<u16> {
    path.as_os_str().encode_wide().chain([0]).collect()
}

fn check(succeeded: i32) -> io::Result<()> {
    match succeeded {
        0 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

fn check_code(code: u32) -> io::Result<()> {
    match code {
        ERROR_SUCCESS => Ok(()),
        code => Err(io::Error::from_raw_os_error(code.cast_signed())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dir, Durability};
    use windows_sys::Win32::Security::Authorization::ConvertSecurityDescriptorToStringSecurityDescriptorW;

    /// Ends of entries for everyone, for all users, and for all that logged in.
    const EVERYBODY: [&str; 3] = [";;;WD)", ";;;BU)", ";;;AU)"];

    /// Returns the access list in SDDL.
    fn list(path: &Path) -> String {
        let mut descriptor = Descriptor(null_mut());
        let mut text = null_mut();
        // SAFETY: the path ends with a zero, and the system fills the pointers; the text ends with a zero.
        unsafe {
            let found = GetNamedSecurityInfoW(
                wide(path).as_ptr(),
                SE_FILE_OBJECT,
                DACL_SECURITY_INFORMATION,
                null_mut(),
                null_mut(),
                null_mut(),
                null_mut(),
                &raw mut descriptor.0,
            );
            check_code(found).unwrap();
            check(ConvertSecurityDescriptorToStringSecurityDescriptorW(
                descriptor.0,
                SDDL_REVISION_1,
                DACL_SECURITY_INFORMATION,
                &raw mut text,
                null_mut(),
            ))
            .unwrap();
            take_text(text)
        }
    }

    /// Makes a directory that everybody may read, with a file.
    fn open_directory() -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        let mut icacls = std::process::Command::new("icacls");
        icacls
            .arg(directory.path())
            .args(["/grant", "*S-1-1-0:(OI)(CI)R"]);
        icacls.output().unwrap();
        fs_err::write(directory.path().join("open"), "a").unwrap();
        directory
    }

    #[test]
    fn what_is_made_is_its_users_alone_and_what_is_replaced_keeps_its_list() {
        let outer = open_directory();
        let everybody = |path: &str| {
            let list = list(&outer.path().join(path));
            assert!(list.starts_with("D:"), "{list}");
            EVERYBODY.iter().any(|end| list.contains(end))
        };
        assert!(everybody("open"), "a directory that the test cannot open");
        let root = Dir::open(outer.path()).unwrap();
        for path in ["new", "open", "made/inner/file"] {
            root.write(Path::new(path), b"b", Durability::Durable)
                .unwrap();
        }
        Dir::create(&outer.path().join("other/inner")).unwrap();
        drop(root.append(Path::new("appended")).unwrap());
        for path in [
            "new",
            "made",
            "made/inner",
            "made/inner/file",
            "other",
            "other/inner",
            "appended",
        ] {
            assert!(!everybody(path), "{path}");
        }
        assert!(everybody("open"), "replaced");
    }
}
