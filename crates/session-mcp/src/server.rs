//! The server: the protocol by `rmcp`, the work by the worker.

use crate::answer::{FencedText, ToolAnswer};
use crate::call_error::CallError;
use crate::parent_watch::ParentProcess;
use crate::progress::{ProgressSink, ProgressStep, STAGES};
use crate::server_error::ServerError;
use crate::tools::{INSTRUCTIONS, ToolCallRequest, list_tools};
use crate::worker::{ToolJob, ToolWorker};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest,
    CustomResult, ErrorCode, Implementation, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use session_config::Home;
use session_output::format_error;
use std::convert::Infallible;
use std::sync::mpsc;
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::sync::oneshot;

/// Most characters of an error.
const ERROR_CHARS: usize = 2_000;
/// Longest time for which a call that is at work is waited for after the client's end.
const LAST_CALL: Duration = Duration::from_secs(2);

/// Serves one client on stdin and stdout until it goes away. `start_embedding` starts the process that embeds the sessions
/// that the chosen model has not read.
///
/// # Errors
/// When the runtime cannot start, or the client does not speak the protocol.
pub fn serve_stdio(start_embedding: fn(&Home)) -> Result<(), ServerError> {
    let parent = ParentProcess::current();
    let (jobs, queue) = mpsc::channel();
    let (done, ended) = mpsc::channel();
    std::thread::Builder::new()
        .name("tools".to_owned())
        .spawn(move || {
            ToolWorker::new(start_embedding).run(&queue);
            drop(done);
        })
        .map_err(ServerError::Worker)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .map_err(ServerError::Runtime)?;
    let served = runtime.block_on(serve(SearchServer { jobs }, parent));
    // A read of stdin that is still waiting must not hold up the end.
    runtime.shutdown_background();
    // The memory that is being saved is saved; a long refresh is left to the next process.
    let _: Result<(), _> = ended.recv_timeout(LAST_CALL);
    served
}

async fn serve(server: SearchServer, parent: ParentProcess) -> Result<(), ServerError> {
    tokio::select! {
        served = serve_client(server) => served,
        () = parent.wait_for_exit() => Ok(()),
    }
}

async fn serve_client(server: SearchServer) -> Result<(), ServerError> {
    use rmcp::service::ServerInitializeError::ConnectionClosed;
    let running = match server.serve(rmcp::transport::stdio()).await {
        // A client that ends before the handshake wants nothing.
        Err(ConnectionClosed(_)) => return Ok(()),
        running => running.map_err(|error| ServerError::Handshake(Box::new(error)))?,
    };
    running.waiting().await?;
    Ok(())
}

/// The handler of a client's requests.
struct SearchServer {
    jobs: mpsc::Sender<ToolJob>,
}

impl ServerHandler for SearchServer {
    fn get_info(&self) -> ServerConfig {
        let version = env!("CARGO_PKG_VERSION");
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("session-search", version))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(list_tools()))
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(Self::make_unknown_method_error(&request))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let call = ToolCallRequest::read(&request.name, arguments);
        let call = call.map_err(|error| make_invalid_params_error(&error.to_string()))?;
        let (reply, answer) = oneshot::channel();
        let (sender, steps) = unbounded_channel();
        let token = context.meta.get_progress_token();
        let job = ToolJob {
            call,
            client: context.client_info().map(|client| client.name),
            progress: token.map_or_else(ProgressSink::default, |_| ProgressSink::new(sender)),
            reply,
        };
        // Where the worker is gone, the answer's channel is closed, too.
        let _ = self.jobs.send(job);
        tokio::select! {
            answer = answer => make_response(answer.unwrap_or(Err(CallError::Cancelled))),
            never = forward_progress(steps, &context) => match never {},
            () = context.ct.cancelled() => Err(make_cancelled_error()),
        }
    }
}

impl SearchServer {
    /// Refuses what the protocol's library could not read as a request that it knows.
    fn make_unknown_method_error(request: &CustomRequest) -> ErrorData {
        match request.method.as_str() {
            "tools/call" => {
                make_invalid_params_error("`params` has no `name`, or `arguments` is not an object")
            }
            method => {
                let message = shorten_error(&format!("there is no method `{method}`"));
                ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None)
            }
        }
    }
}

/// Returns what the client gets: a result, a result that says what failed, or an error of the protocol.
fn make_response(answer: Result<ToolAnswer, CallError>) -> Result<CallToolResponse, ErrorData> {
    match answer {
        Ok(answer) => Ok(CallToolResult::success(make_text_blocks(answer.format())).into()),
        Err(CallError::Failed(error)) => {
            let message = shorten_error(&format_error(&*error));
            Ok(CallToolResult::error(make_text_blocks(message)).into())
        }
        Err(CallError::Invalid(note)) => Err(make_invalid_params_error(&note.to_string())),
        Err(CallError::Cancelled) => Err(make_cancelled_error()),
    }
}

/// Returns the error of arguments that cannot be used.
fn make_invalid_params_error(message: &str) -> ErrorData {
    ErrorData::invalid_params(shorten_error(message), None)
}

/// Makes an error harmless and short.
fn shorten_error(message: &str) -> String {
    let message = FencedText::new(message).page(0, ERROR_CHARS);
    message.as_str().to_owned()
}

fn make_text_blocks(text: String) -> Vec<ContentBlock> {
    vec![ContentBlock::text(text)]
}

/// Returns an error that a client which cancelled does not wait for: the protocol sends it nothing.
fn make_cancelled_error() -> ErrorData {
    ErrorData::internal_error("the call was cancelled", None)
}

/// Sends the steps of a call to the client that asked for them.
async fn forward_progress(
    mut steps: UnboundedReceiver<ProgressStep>,
    context: &RequestContext<RoleServer>,
) -> Infallible {
    if let Some(token) = context.meta.get_progress_token() {
        while let Some(step) = steps.recv().await {
            let progress = ProgressNotificationParam::new(token.clone(), step.done);
            let progress = progress.with_total(STAGES).with_message(step.message);
            // That a client is gone is seen where it is read from.
            let _ = context.peer.notify_progress(progress).await;
        }
    }
    std::future::pending().await
}
