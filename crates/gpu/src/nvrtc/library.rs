//! NVRTC's C interface: the functions that are used, and a program object that is destroyed when dropped.

use super::NvrtcError;
use std::ffi::{CStr, CString, OsStr, c_char, c_int, c_void};
use std::ptr;

type Status = c_int;
type Handle = *mut c_void;
type Create = unsafe extern "C" fn(
    *mut Handle,
    *const c_char,
    *const c_char,
    c_int,
    *const *const c_char,
    *const *const c_char,
) -> Status;
type Compile = unsafe extern "C" fn(Handle, c_int, *const *const c_char) -> Status;
type Size = unsafe extern "C" fn(Handle, *mut usize) -> Status;
type CopyText = unsafe extern "C" fn(Handle, *mut c_char) -> Status;

/// The two calls that hand out a result of a program, and the name of the second one.
#[derive(Debug)]
pub(super) struct Output {
    call: &'static str,
    size: Size,
    copy: CopyText,
}

/// The loaded library; its function pointers are valid as long as it lives.
#[derive(Debug)]
pub(super) struct Library {
    error: unsafe extern "C" fn(Status) -> *const c_char,
    version: unsafe extern "C" fn(*mut c_int, *mut c_int) -> Status,
    /// `None` before NVRTC 11.2.
    count_architectures: Option<unsafe extern "C" fn(*mut c_int) -> Status>,
    architectures: Option<unsafe extern "C" fn(*mut c_int) -> Status>,
    create: Create,
    destroy: unsafe extern "C" fn(*mut Handle) -> Status,
    compile: Compile,
    log: Output,
    pub ptx: Output,
    pub cubin: Output,
    _library: libloading::Library,
}

impl Library {
    /// Loads the library from a path, or by a name that the system searches for.
    pub fn open(name: &OsStr) -> Result<Self, libloading::Error> {
        // SAFETY: loading runs the library's initialisers, and NVRTC's only prepare NVRTC itself. Every symbol gets the
        // type that it has had in nvrtc.h since it exists.
        unsafe {
            let library = libloading::Library::new(name)?;
            let output = |call: &'static str| -> Result<Output, libloading::Error> {
                let size = *library.get(format!("{call}Size").as_bytes())?;
                Ok(Output { call, size, copy: *library.get(call.as_bytes())? })
            };
            Ok(Self {
                error: *library.get(b"nvrtcGetErrorString\0")?,
                version: *library.get(b"nvrtcVersion\0")?,
                count_architectures: library.get(b"nvrtcGetNumSupportedArchs\0").ok().map(|symbol| *symbol),
                architectures: library.get(b"nvrtcGetSupportedArchs\0").ok().map(|symbol| *symbol),
                create: *library.get(b"nvrtcCreateProgram\0")?,
                destroy: *library.get(b"nvrtcDestroyProgram\0")?,
                compile: *library.get(b"nvrtcCompileProgram\0")?,
                log: output("nvrtcGetProgramLog")?,
                ptx: output("nvrtcGetPTX")?,
                cubin: output("nvrtcGetCUBIN")?,
                _library: library,
            })
        }
    }

    pub fn version(&self) -> Result<(i32, i32), NvrtcError> {
        let (mut major, mut minor) = (0, 0);
        // SAFETY: both pointers are to local variables.
        let status = unsafe { (self.version)(&mut major, &mut minor) };
        self.check("nvrtcVersion", status)?;
        Ok((major, minor))
    }

    /// Architectures that it can compile for, as 10 · major + minor; empty if the version cannot list them.
    pub(crate) fn architectures(&self) -> Result<Vec<u32>, NvrtcError> {
        let (Some(count), Some(list)) = (self.count_architectures, self.architectures) else {
            return Ok(Vec::new());
        };
        let mut number = 0;
        // SAFETY: the pointer is to a local variable.
        let status = unsafe { count(&mut number) };
        self.check("nvrtcGetNumSupportedArchs", status)?;
        let mut known: Vec<c_int> = vec![0; usize::try_from(number).unwrap_or(0)];
        // SAFETY: it writes as many numbers as the call before reported.
        let status = unsafe { list(known.as_mut_ptr()) };
        self.check("nvrtcGetSupportedArchs", status)?;
        Ok(known.into_iter().filter_map(|each| u32::try_from(each).ok()).collect())
    }

    fn check(&self, call: &'static str, status: Status) -> Result<(), NvrtcError> {
        if status == 0 {
            return Ok(());
        }
        // SAFETY: for any status it returns a static text of the library, or null.
        let reason = unsafe {
            let text = (self.error)(status);
            if text.is_null() { "unknown".into() } else { CStr::from_ptr(text).to_string_lossy() }
        };
        Err(NvrtcError::Call { call, reason: format!("{reason} ({status})") })
    }
}

/// A program object of NVRTC: one source to compile.
pub(super) struct Program<'a> {
    library: &'a Library,
    handle: Handle,
}

impl<'a> Program<'a> {
    pub fn new(library: &'a Library, source: &str, name: &str) -> Result<Self, NvrtcError> {
        let (source, name) = (c_text(source)?, c_text(name)?);
        let mut handle = ptr::null_mut();
        // SAFETY: both texts end with a zero byte and are copied; there are no headers.
        let status = unsafe {
            (library.create)(&mut handle, source.as_ptr(), name.as_ptr(), 0, ptr::null(), ptr::null())
        };
        library.check("nvrtcCreateProgram", status)?;
        Ok(Self { library, handle })
    }

    pub fn compile(&self, options: &[String]) -> Result<(), NvrtcError> {
        let options: Vec<CString> = options.iter().map(|each| c_text(each)).collect::<Result<_, _>>()?;
        let pointers: Vec<*const c_char> = options.iter().map(|each| each.as_ptr()).collect();
        // SAFETY: the array has as many texts as the count says; each ends with a zero byte and lives until the call
        // returns.
        let status =
            unsafe { (self.library.compile)(self.handle, pointers.len() as c_int, pointers.as_ptr()) };
        self.library.check("nvrtcCompileProgram", status)
    }

    /// The compiler's messages.
    pub fn log(&self) -> Result<String, NvrtcError> {
        let text = self.output(&self.library.log)?;
        Ok(String::from_utf8_lossy(&text).trim_end_matches('\0').trim().to_owned())
    }

    /// A result of the compilation: one of the library's outputs.
    pub fn output(&self, &Output { call, size, copy }: &Output) -> Result<Vec<u8>, NvrtcError> {
        let mut length = 0;
        // SAFETY: the pointer is to a local variable.
        let status = unsafe { size(self.handle, &mut length) };
        self.library.check(call, status)?;
        let mut bytes = vec![0_u8; length];
        // SAFETY: it writes as many bytes as the call before reported.
        let status = unsafe { copy(self.handle, bytes.as_mut_ptr().cast()) };
        self.library.check(call, status)?;
        Ok(bytes)
    }
}

impl Drop for Program<'_> {
    fn drop(&mut self) {
        // SAFETY: created by `new`, and destroyed only here.
        unsafe { (self.library.destroy)(&mut self.handle) };
    }
}

fn c_text(text: &str) -> Result<CString, NvrtcError> {
    CString::new(text).map_err(|_| NvrtcError::Call {
        call: "nvrtcCreateProgram",
        reason: "the text holds a zero byte".to_owned(),
    })
}
